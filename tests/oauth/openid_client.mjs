// openid-client signs a user in: it prints the address to open, and reads the callback that the browser reached.
import { createInterface } from 'node:readline/promises'
import * as openid from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, CLIENT_KEY, CALLBACK, SCOPE } = process.env
const authentication = CLIENT_KEY ? openid.PrivateKeyJwt({ key: await importKey(CLIENT_KEY), kid: 'first' })
  : CLIENT_SECRET ? openid.ClientSecretBasic(CLIENT_SECRET) : openid.None()
const isConfidential = Boolean(CLIENT_KEY || CLIENT_SECRET)
const options = { execute: [openid.allowInsecureRequests] } // http, since the service is on loopback
const config = await openid.discovery(new URL(ISSUER), CLIENT_ID, undefined, authentication, options)

const pkceCodeVerifier = openid.randomPKCECodeVerifier()
const expectedState = openid.randomState()
const expectedNonce = openid.randomNonce()
const build = isConfidential ? openid.buildAuthorizationUrlWithPAR : openid.buildAuthorizationUrl
const address = await build(config, {
  redirect_uri: CALLBACK, scope: SCOPE, state: expectedState, nonce: expectedNonce, max_age: '3600',
  code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256',
})
console.log(address.href)
const lines = createInterface({ input: process.stdin })
const landed = new URL((await lines[Symbol.asyncIterator]().next()).value)
lines.close()

const tokens = await openid.authorizationCodeGrant(
  config, landed, { pkceCodeVerifier, expectedState, expectedNonce, maxAge: 3600, idTokenExpected: true },
)
const claims = tokens.claims()
const userinfo = await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token)
const said = { claims, userinfo, scope: tokens.scope, rotated: refreshed.refresh_token !== tokens.refresh_token }
if (isConfidential) {
  const active = async () => (await openid.tokenIntrospection(config, refreshed.access_token)).active
  said.before = await active()
  await openid.tokenRevocation(config, refreshed.refresh_token)
  said.after = await active()
  said.own = (await openid.clientCredentialsGrant(config)).token_type
}
console.log(JSON.stringify(said))

async function importKey(text) {
  return crypto.subtle.importKey('jwk', JSON.parse(text), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
}
