/* Passkeys: the device creates one or signs, and its response is sent with the form. */

import { toBytes, toText } from "./base64url.js";

const NOT_THERE = !window.PublicKeyCredential || !navigator.credentials;

for (const form of document.querySelectorAll("[data-passkey]")) {
  for (const button of form.querySelectorAll("[data-passkey-button]")) {
    button.hidden = NOT_THERE;
    button.addEventListener("click", (event) => {
      event.preventDefault();
      ask(form, button);
    });
  }
  tell(form, NOT_THERE ? "missing" : "");
}

async function ask(form, button) {
  button.disabled = true;
  tell(form, "");
  try {
    const { publicKey } = await options(form);
    const answer = form.dataset.passkey === "create" ? await create(publicKey) : await get(publicKey);
    form.elements.credential.value = JSON.stringify(answer);
    form.submit();
  } catch (error) {
    tell(form, "failed");
    button.disabled = false;
  }
}

/* Cached pages fetch a challenge when needed; others contain one. */
async function options(form) {
  if (!form.dataset.options) {
    const brought = JSON.parse(document.getElementById("passkey-options").textContent);
    return brought.creation_options ?? brought.request_options;
  }
  const answer = await fetch(form.dataset.options, { headers: { Accept: "application/json" } });
  return (await answer.json()).request_options;
}

async function create(publicKey) {
  const credential = await navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      user: { ...publicKey.user, id: toBytes(publicKey.user.id) },
      excludeCredentials: named(publicKey.excludeCredentials),
    },
  });
  return said(credential, {
    attestationObject: toText(credential.response.attestationObject),
    transports: credential.response.getTransports?.() ?? [],
  });
}

async function get(publicKey) {
  const credential = await navigator.credentials.get({
    publicKey: {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      allowCredentials: named(publicKey.allowCredentials),
    },
  });
  const { authenticatorData, signature, userHandle } = credential.response;
  return said(credential, {
    authenticatorData: toText(authenticatorData),
    signature: toText(signature),
    userHandle: userHandle && toText(userHandle),
  });
}

function named(credentials) {
  return (credentials ?? []).map((each) => ({ ...each, id: toBytes(each.id) }));
}

function said(credential, response) {
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: { clientDataJSON: toText(credential.response.clientDataJSON), ...response },
  };
}

function tell(form, what) {
  for (const sentence of form.querySelectorAll("[data-passkey-told]")) {
    sentence.hidden = sentence.dataset.passkeyTold !== what;
  }
}
