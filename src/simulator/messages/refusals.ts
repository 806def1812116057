import { BOOK_UNKNOWN_REFUSAL } from '../../contract/venue/paper.ts'
import { VenueRefusal } from './row.ts'

/** The venue's refusals: HTTP status, code and text. They are documented or were observed. */
const REFUSALS = {
  unknown: {
    status: 500,
    code: -1000,
    message: 'An unknown error occurred while processing the request.',
  },
  signature: { status: 401, code: -1001, message: 'The API key or secret is in wrong format.' },
  unauthorized: {
    status: 401,
    code: -1002,
    message: 'API key or secret is invalid, insufficient permission, or expired/revoked.',
  },
  unknownParameter: { status: 400, code: -1004, message: 'An unknown parameter was sent.' },
  parameter: { status: 400, code: -1005, message: 'Some parameters are in wrong format.' },
  away: { status: 503, code: -1000, message: BOOK_UNKNOWN_REFUSAL },
  path: { status: 400, code: -1000, message: 'path not found' },
  notFound: { status: 400, code: -1006, message: 'The data is not found.' },
  duplicate: {
    status: 409,
    code: -1007,
    message: 'The data already exists or the request is duplicated.',
  },
  rejected: { status: 400, code: -1012, message: 'Rejected by internal module.' },
  risk: { status: 400, code: -1101, message: 'The margin will be insufficient after.' },
  notional: { status: 400, code: -1102, message: 'Order value (price x size) too small.' },
  price: { status: 400, code: -1103, message: 'The order price does not fit the price filter.' },
  size: { status: 400, code: -1104, message: 'The order must fit in the filter requirement.' },
  percentage: {
    status: 400,
    code: -1105,
    message: 'Price is too high or too low from the mid price.',
  },
  registered: { status: 400, code: -1604, message: 'Account already registered.' },
  noAccount: { status: 400, code: -1607, message: 'Account not found.' },
  wallet: { status: 400, code: 9, message: 'Address and signature do not match' },
  consentExpired: { status: 400, code: 2, message: 'Timestamp expired' },
  consentSignature: { status: 400, code: 3, message: 'Signature error' },
  amount: { status: 400, code: 5, message: 'Amount error' },
  broker: { status: 400, code: 15, message: 'BrokerId is not exist' },
  withdrawing: { status: 400, code: 17, message: 'Another withdrawal is in progress' },
  outOfMargin: { status: 400, code: 20, message: 'Withdrawal Pre Margin Check Failed' },
  chain: { status: 400, code: 28, message: 'Withdrawals to this chain are not enabled' },
  contract: { status: 400, code: 29, message: 'Verify contract is invalid' },
  transferring: { status: 400, code: 34, message: 'An internal transfer is in progress' },
  receiver: { status: 400, code: 35, message: 'The receiver account does not exist' },
  self: { status: 400, code: 37, message: 'Transfer to oneself is not allowed' },
  foreignSubAccount: {
    status: 400,
    code: 46,
    message: 'The receiver is a sub-account of another main account',
  },
  settledLately: {
    status: 400,
    code: -1104,
    message: 'Settlement is only allowed once every 10 minutes',
  },
} as const

export type RefusalName = keyof typeof REFUSALS

/** A refusal by name, with its default text or the given text. */
export function refusal(name: RefusalName, message?: string): VenueRefusal {
  const row = REFUSALS[name]
  return new VenueRefusal(row.status, row.code, message ?? row.message)
}
