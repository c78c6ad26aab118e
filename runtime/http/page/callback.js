"use strict";

/* Where a sign-in of Swagger UI ends: in a window that it opened, and that has left it what to do next. */
function pass(pending, answer) {
  const refuse = (message) =>
    pending.errCb({ authId: pending.auth.name, source: "auth", level: "error", message });

  if (!pending.state || answer.get("state") !== pending.state) {
    refuse("The answer is not one to this sign-in: its state is another.");
  } else if (answer.get("code")) {
    delete pending.state;
    pending.auth.code = answer.get("code");
    pending.callback({ auth: pending.auth, redirectUrl: pending.redirectUrl });
  } else {
    refuse(`${answer.get("error")}: ${answer.get("error_description") || "no code was returned"}`);
  }
}

function findPending() {
  try {
    return window.opener && window.opener.swaggerUIRedirectOauth2;
  } catch {
    return null; /* a page of another origin opened this one */
  }
}

const pending = findPending();
if (pending) {
  pass(pending, new URLSearchParams(window.location.search));
  window.close();
}
