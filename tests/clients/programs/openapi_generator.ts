import { CarrierApi, Configuration, ResponseError, SecurityApi } from "../openapi-generator-typescript";
import { check, environment } from "./scenario";

const { url, userId, password, refName } = environment();
const basePath = url;
const login = await new SecurityApi(new Configuration({ basePath })).securityLogin({
  loginRequestInput: { userId, password },
});
const carriers = new CarrierApi(new Configuration({ basePath, accessToken: login.accessToken }));
const saved = await carriers.carrierSave({ carrierInput: { refName, name: "Tagus", mode: "RAIL" } });
const page = await carriers.carrierListRecords({ filter: `refName:${refName}` });
const done = await carriers.carrierBulk({ carrierBulk: { operations: [{ op: "delete", id: saved?.id ?? "" }] } });
const wrong = await carriers.carrierCount({ filter: "nam:x" }).catch((error: unknown) => {
  if (error instanceof ResponseError) return error.response.json();
  throw error;
});
check(page.rows[0]?.displayName, done.deleted, wrong.code);
