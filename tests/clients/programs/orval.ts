import { carrierBulk, carrierCount, carrierListRecords, carrierSave, securityLogin } from "../orval/api";
import { check, environment } from "./scenario";

const { url, userId, password, refName } = environment();
const send = globalThis.fetch;
globalThis.fetch = (path, options) => send(`${url}${path}`, options); // the document's server is relative
const login = await securityLogin({ userId, password });
const token = login.status === 200 ? login.data.accessToken : "";
const headers = { Authorization: `Bearer ${token}` };
const saved = await carrierSave({ refName, name: "Tagus", mode: "RAIL" }, undefined, { headers });
const id = saved.status === 201 ? saved.data.id : "";
const page = await carrierListRecords({ filter: `refName:${refName}` }, { headers });
const done = await carrierBulk({ operations: [{ op: "delete", id }] }, undefined, { headers });
const wrong = await carrierCount({ filter: "nam:x" }, { headers });
check(
  page.status === 200 ? page.data.rows[0]?.displayName : undefined,
  done.status === 200 ? done.data.deleted : undefined,
  wrong.status === 400 ? wrong.data.code : undefined,
);
