// What each program reads from its environment, and what the service must have answered.

declare const process: { env: Record<string, string | undefined> };

export function environment(): { url: string; userId: string; password: string; refName: string } {
  const read = (name: string): string => process.env[name] ?? "";
  return {
    url: read("SERVICE_URL"),
    userId: read("SERVICE_USER"),
    password: read("SERVICE_PASSWORD"),
    refName: read("SERVICE_REF_NAME"),
  };
}

export function check(name: unknown, deleted: unknown, code: unknown): void {
  const answers = JSON.stringify([name, deleted, code]);
  if (answers !== '["Tagus",1,"field.unknown"]') {
    throw new Error(`unexpected answers: ${answers}`);
  }
}
