"use strict";

const page = document.getElementById("page");
const form = document.getElementById("sign-in");

function show(token) {
  const ui = SwaggerUIBundle({
    url: page.dataset.document,
    dom_id: "#page",
    deepLinking: true,
    persistAuthorization: false,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    docExpansion: "none",
    filter: true,
    requestInterceptor: (request) => {
      if (token && request.loadSpec) {
        request.headers.Authorization = `Bearer ${token}`;
      }
      return request;
    },
    onComplete: () => {
      if (token) {
        ui.preauthorizeApiKey("bearerAuth", token);
      }
    },
  });
}

async function signIn(fields) {
  const answer = await fetch(form.dataset.login, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(Object.fromEntries(fields)),
  });
  const body = await answer.json();
  if (!answer.ok) {
    throw new Error(body.detail);
  }
  return body.accessToken;
}

if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    signIn(new FormData(form)).then(
      (token) => {
        form.hidden = true;
        show(token);
      },
      (error) => {
        form.querySelector("output").textContent = error.message;
      },
    );
  });
  form.querySelector("button").disabled = false;
} else {
  show(null);
}
