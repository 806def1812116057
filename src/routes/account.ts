import { Elysia } from 'elysia'
import { register, registrationNonce } from '../gateway/account/registration.ts'
import { bindTradingKey } from '../gateway/account/trading-key.ts'
import { typedData } from '../gateway/account/typed-data.ts'
import type { AccountDeps } from '../gateway/account/wallet-call.ts'
import { RegisterBody, TradingKeyBody, TypedDataBody } from '../spec/registration.ts'
import { ROUTES as R } from '../spec/routes.ts'
import { type Entrance, RAW, reading, writing } from './verbs.ts'

/** Account creation: nonce, message to sign, registration, key binding. */
export const account = (parts: Entrance & { readonly deps: AccountDeps }) => {
  const { deps } = parts
  return new Elysia({ name: 'routes.account' })
    .get(
      R.registrationNonce.path,
      reading(parts, R.registrationNonce, () => registrationNonce(deps)),
    )
    .post(
      R.typedData.path,
      writing(parts, R.typedData, TypedDataBody, (body) => typedData(deps, body)),
      RAW,
    )
    .post(
      R.register.path,
      writing(parts, R.register, RegisterBody, (body) => register(deps, body)),
      RAW,
    )
    .post(
      R.tradingKey.path,
      writing(parts, R.tradingKey, TradingKeyBody, (body) => bindTradingKey(deps, body)),
      RAW,
    )
}
