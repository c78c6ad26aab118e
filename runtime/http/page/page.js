"use strict";

/* In the storage of this tab: another tab signs in on its own. */
const STORED = "recordsmith.token";
const FIRST = ["listRecords", "getById", "getByRefName", "find", "count"];
const LAST = ["delete"];

const page = document.getElementById("page");
const form = document.getElementById("sign-in");
const message = form.querySelector("output");
const signedIn = document.getElementById("signed-in");
const isPublic = page.dataset.documentation === "public";

let token = sessionStorage.getItem(STORED);
let ui = null;

function rank(operation) {
  const name = (operation.getIn(["operation", "operationId"]) || "").split("_").pop();
  const place = FIRST.indexOf(name);
  return place >= 0 ? place : FIRST.length + LAST.indexOf(operation.get("method")) + 1;
}

function show() {
  ui = SwaggerUIBundle({
    url: page.dataset.document,
    dom_id: "#page",
    deepLinking: true,
    persistAuthorization: false,
    oauth2RedirectUrl: new URL(page.dataset.callback, window.location.href).href,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    docExpansion: "none",
    filter: true,
    operationsSorter: (one, other) =>
      rank(one) - rank(other) || one.get("path").localeCompare(other.get("path")),
    requestInterceptor: (request) => {
      if (token && request.loadSpec) {
        request.headers.Authorization = `Bearer ${token}`;
      }
      return request;
    },
    onComplete: authorize,
  });
  ui.initOAuth({ clientId: "docs", usePkceWithAuthorizationCodeGrant: true });
}

function authorize() {
  if (token) {
    ui.preauthorizeApiKey("bearerAuth", token);
  }
}

function forget() {
  token = null;
  sessionStorage.removeItem(STORED);
}

async function readBody(answer) {
  const body = await answer.json();
  if (!answer.ok) {
    throw new Error(body.detail);
  }
  return body;
}

async function signIn(fields) {
  const answer = await fetch(form.dataset.login, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(Object.fromEntries(fields)),
  });
  token = (await readBody(answer)).accessToken;
  sessionStorage.setItem(STORED, token);
}

async function welcome() {
  const answer = await fetch(form.dataset.caller, { headers: { Authorization: `Bearer ${token}` } });
  const caller = await readBody(answer);
  signedIn.querySelector("span").textContent = `Signed in as ${caller.identity}.`;
  form.hidden = true;
  signedIn.hidden = false;
}

async function start() {
  if (token) {
    await welcome().catch(forget); /* where it has expired, the form is there to sign in again */
  }
  if (isPublic || token) {
    show();
  }
  form.querySelector("button").disabled = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  message.textContent = "";
  signIn(new FormData(form))
    .then(welcome)
    .then(() => {
      form.reset();
      if (ui) {
        authorize();
      } else {
        show();
      }
    })
    .catch((error) => {
      message.textContent = error.message;
    });
});

signedIn.querySelector("button").addEventListener("click", () => {
  forget();
  window.location.reload();
});

start();
