import { client } from "../hey-api/client.gen";
import { carrierBulk, carrierCount, carrierListRecords, carrierSave, securityLogin } from "../hey-api/sdk.gen";
import { check, environment } from "./scenario";

const { url, userId, password, refName } = environment();
client.setConfig({ baseUrl: url });
const login = await securityLogin({ body: { userId, password } });
client.setConfig({ auth: () => login.data?.accessToken });
const saved = await carrierSave({ body: { refName, name: "Tagus", mode: "RAIL" } });
const page = await carrierListRecords({ query: { filter: `refName:${refName}` } });
const done = await carrierBulk({ body: { operations: [{ op: "delete", id: saved.data?.id ?? "" }] } });
const wrong = await carrierCount({ query: { filter: "nam:x" } });
check(page.data?.rows[0]?.displayName, done.data?.deleted, wrong.error?.code);
