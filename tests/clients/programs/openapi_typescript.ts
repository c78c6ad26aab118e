import createClient from "openapi-fetch";
import type { paths } from "../openapi-typescript/schema";
import { check, environment } from "./scenario";

const { url, userId, password, refName } = environment();
const client = createClient<paths>({ baseUrl: url });
const login = await client.POST("/security/login", { body: { userId, password } });
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${login.data?.accessToken}`);
    return request;
  },
});
const saved = await client.POST("/logistics/carriers", { body: { refName, name: "Tagus", mode: "RAIL" } });
const page = await client.GET("/logistics/carriers/list", { params: { query: { filter: `refName:${refName}` } } });
const done = await client.POST("/logistics/carriers/bulk", {
  body: { atomic: false, operations: [{ op: "delete", id: saved.data?.id ?? "" }] },
});
const wrong = await client.GET("/logistics/carriers/count", { params: { query: { filter: "nam:x" } } });
check(page.data?.rows[0]?.displayName, done.data?.deleted, wrong.error?.code);
