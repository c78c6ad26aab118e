// A hand-written Fastify application on MongoDB's own driver, as the two documentations tell: JSON schemas that
// check what is sent and render what is answered, tokens checked by @fastify/jwt, every query bound to the
// caller's tenant. `check=false` on the insert leaves out the look-up of references, as for the other peers.

import { readFileSync } from "node:fs";
import fastifyJwt from "@fastify/jwt";
import Fastify from "fastify";
import { Decimal128, MongoClient, ObjectId } from "mongodb";

const { BENCH_MONGODB, BENCH_DATABASE, BENCH_PUBLIC_KEY, BENCH_ISSUER } = process.env;
const client = await new MongoClient(BENCH_MONGODB).connect();
const database = client.db(BENCH_DATABASE);
const shipments = database.collection("shipments");

const ID = "^[0-9a-f]{24}$";
const text = { type: "string" };
const moment = { type: "string", format: "date-time" };

const reference = {
  type: "object",
  required: ["entityId"],
  additionalProperties: false,
  properties: {
    entityId: { type: "string", pattern: ID },
    entityType: text,
    entityRefName: text,
    entityDisplayName: text,
  },
};

const sent = {
  status: { enum: ["BOOKED", "IN_TRANSIT", "DELIVERED", "LOST", "CANCELLED"] },
  customer: reference,
  carrier: reference,
  origin: reference,
  destination: reference,
  weightKg: { type: "string", pattern: "^[0-9]+(\\.[0-9]+)?$" },
  departsAt: moment,
  arrivesAt: moment,
  notes: { type: "string", maxLength: 2000 },
  lines: {
    type: "array",
    maxItems: 500,
    items: {
      type: "object",
      required: ["sku", "quantity"],
      additionalProperties: false,
      properties: { sku: { type: "string", pattern: "^[A-Z0-9-]+$" }, quantity: { type: "integer", minimum: 1 } },
    },
  },
};

const input = {
  type: "object",
  required: ["customer", "origin", "destination"],
  additionalProperties: false,
  properties: sent,
};

const shipment = {
  type: "object",
  properties: {
    _id: text,
    refName: text,
    displayName: text,
    activeStatus: text,
    ...sent,
    status: text,
    version: { type: "integer" },
    dataDomain: {
      type: "object",
      properties: { tenantId: text, ownerId: text, dataSegment: { type: "integer" } },
    },
    auditInfo: {
      type: "object",
      properties: { createdBy: text, createdDate: moment, lastUpdatedBy: text, lastUpdatedDate: moment },
    },
  },
};

const page = {
  type: "object",
  properties: { offset: { type: "integer" }, limit: { type: "integer" }, rows: { type: "array", items: shipment } },
};

const byId = { type: "object", properties: { id: { type: "string", pattern: ID } } };

const listed = {
  type: "object",
  required: ["status"],
  properties: {
    status: text,
    limit: { type: "integer", minimum: 1, maximum: 1000, default: 50 },
    offset: { type: "integer", minimum: 0, default: 0 },
  },
};

const inserted = { type: "object", properties: { check: { type: "boolean", default: true } } };

const fastify = Fastify();
fastify.register(fastifyJwt, {
  secret: { public: readFileSync(BENCH_PUBLIC_KEY, "utf8") },
  verify: { algorithms: ["RS256"], allowedIss: BENCH_ISSUER, allowedAud: BENCH_ISSUER },
});
fastify.addHook("onRequest", (request) => request.jwtVerify());

fastify.get("/shipments", { schema: { querystring: listed, response: { 200: page } } }, async (request) => {
  const { status, limit, offset } = request.query;
  const found = shipments.find({ "dataDomain.tenantId": request.user.tenantId, status });
  return { offset, limit, rows: await found.sort({ departsAt: -1 }).skip(offset).limit(limit).toArray() };
});

const customer = {
  type: ["object", "null"],
  properties: { ...shipment.properties, name: text },
};
const expandedPage = {
  type: "object",
  properties: {
    ...page.properties,
    rows: { type: "array", items: { ...shipment, properties: { ...shipment.properties, customer } } },
  },
};

fastify.get(
  "/shipments-expanded",
  { schema: { querystring: listed, response: { 200: expandedPage } } },
  async (request) => {
    const { status, limit, offset } = request.query;
    const { tenantId } = request.user;
    const rows = await shipments
      .aggregate([
        { $match: { "dataDomain.tenantId": tenantId, status } },
        { $sort: { departsAt: -1 } },
        { $skip: offset },
        { $limit: limit },
        {
          $lookup: {
            from: "customers",
            localField: "customer.entityId",
            foreignField: "_id",
            pipeline: [{ $match: { "dataDomain.tenantId": tenantId } }],
            as: "customer",
          },
        },
        { $set: { customer: { $first: "$customer" } } },
      ])
      .toArray();
    return { offset, limit, rows };
  },
);

fastify.get("/shipments/:id", { schema: { params: byId, response: { 200: shipment } } }, async (request, reply) => {
  const found = await shipments.findOne(wantedBy(request));
  return found ?? reply.code(404).send(missing(request));
});

fastify.post(
  "/shipments",
  { schema: { body: input, querystring: inserted, response: { 201: shipment } } },
  async (request, reply) => {
    const { sub, tenantId } = request.user;
    const document = stored(request.body);
    if (!(await resolve(document, tenantId, request.query.check))) return reply.code(422).send(unresolved);
    const now = new Date();
    const key = new ObjectId();
    Object.assign(document, {
      _id: key,
      refName: key.toHexString(),
      displayName: key.toHexString(),
      activeStatus: "ACTIVE",
      status: document.status ?? "BOOKED",
      version: 1,
      dataDomain: { tenantId, ownerId: sub, dataSegment: 0 },
      auditInfo: { createdBy: sub, createdDate: now, lastUpdatedBy: sub, lastUpdatedDate: now },
    });
    await shipments.insertOne(document);
    reply.code(201).header("location", `/shipments/${key.toHexString()}`);
    return document;
  },
);

const patched = { type: "object", additionalProperties: false, properties: sent };

fastify.patch(
  "/shipments/:id",
  { schema: { params: byId, body: patched, response: { 200: shipment } } },
  async (request, reply) => {
    const wanted = wantedBy(request);
    const before = await shipments.findOne(wanted);
    if (before === null) return reply.code(404).send(missing(request));
    const names = Object.keys(sent).filter((name) => name in before);
    const kept = Object.fromEntries(names.map((name) => [name, before[name]]));
    if (kept.weightKg) kept.weightKg = kept.weightKg.toString();
    const merged = { ...JSON.parse(JSON.stringify(kept)), ...request.body };
    if (!request.validateInput(merged, input)) return reply.code(422).send(unresolved);
    const changes = stored(request.body);
    if (!(await resolve(changes, request.user.tenantId, true))) return reply.code(422).send(unresolved);
    return await shipments.findOneAndUpdate(
      wanted,
      {
        $set: { ...changes, "auditInfo.lastUpdatedBy": request.user.sub, "auditInfo.lastUpdatedDate": new Date() },
        $inc: { version: 1 },
      },
      { returnDocument: "after" },
    );
  },
);

const COLLECTIONS = { customers: ["customer"], carriers: ["carrier"], airports: ["origin", "destination"] };
const unresolved = { statusCode: 422, error: "Unprocessable Entity", message: "the shipment is not valid" };
const missing = (request) => ({ statusCode: 404, error: "Not Found", message: `no shipment ${request.params.id}` });
const wantedBy = (request) => ({
  _id: ObjectId.createFromHexString(request.params.id),
  "dataDomain.tenantId": request.user.tenantId,
});

/** What the store keeps of what was sent. */
function stored(body) {
  const document = { ...body };
  for (const name of ["departsAt", "arrivesAt"]) if (document[name]) document[name] = new Date(document[name]);
  if (document.weightKg) document.weightKg = Decimal128.fromString(document.weightKg);
  for (const name of Object.values(COLLECTIONS).flat())
    if (document[name])
      document[name] = { ...document[name], entityId: ObjectId.createFromHexString(document[name].entityId) };
  return document;
}

/** Fills in the names of what references point to, one query a type; false where one is missing. */
async function resolve(document, tenantId, check) {
  if (!check) return true;
  const looked = await Promise.all(
    Object.entries(COLLECTIONS).map(async ([collection, paths]) => {
      const references = paths.map((path) => document[path]).filter(Boolean);
      if (references.length === 0) return true;
      const match = { _id: { $in: references.map((each) => each.entityId) }, "dataDomain.tenantId": tenantId };
      const projection = { refName: 1, displayName: 1 };
      const rows = await database.collection(collection).find(match, { projection }).toArray();
      const found = new Map(rows.map((row) => [row._id.toHexString(), row]));
      return references.every((each) => {
        const row = found.get(each.entityId.toHexString());
        if (row) Object.assign(each, { entityRefName: row.refName, entityDisplayName: row.displayName });
        return row;
      });
    }),
  );
  return looked.every(Boolean);
}

await fastify.listen({ port: Number(process.argv[2]), host: "127.0.0.1" });
