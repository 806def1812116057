import type { Wording } from './tool.ts'

/** The names a caller over HTTP knows: headers. */
export const HTTP_WORDING: Wording = {
  accountId: 'x-account-id',
  tradingKey: 'x-trading-key',
  maxOrderUsdc: 'x-max-order-usdc',
  maxDailyUsdc: 'SERVICE_MAX_DAILY_USDC',
  allowedSymbols: 'x-allowed-symbols',
  readOnly: 'x-read-only',
}

/** The names a caller over stdio knows: environment variables. */
export const STDIO_WORDING: Wording = {
  accountId: 'SERVICE_ACCOUNT_ID',
  tradingKey: 'SERVICE_TRADING_KEY',
  maxOrderUsdc: 'SERVICE_MAX_ORDER_USDC',
  maxDailyUsdc: 'SERVICE_MAX_DAILY_USDC',
  allowedSymbols: 'SERVICE_ALLOWED_SYMBOLS',
  readOnly: 'SERVICE_READ_ONLY',
}
