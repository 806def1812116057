/** The texts of warnings about positions, and of obstacles to trading with the account. */
export const WARNINGS = {
  clockAhead: [
    'This device’s clock is {age} ahead. Set it, or sign with the server’s time.',
    'The page now signs with the server’s time, {age} behind this device’s clock.',
  ],
  clockBehind: [
    'This device’s clock is {age} behind. Set it, or sign with the server’s time.',
    'The page now signs with the server’s time, {age} ahead of this device’s clock.',
  ],
  useServerTime: 'Sign with the server’s time',
  expired: 'The trading key has expired.',
  refused: 'The venue no longer takes the trading key.',
  liquidationNear: '{base} is {distance} from its liquidation.',
  reduce: 'Close a part',
  keyEnds: 'The trading key ends in {age}.',
  missing: {
    insecure: 'Trading needs a secure address: open this page over https or on localhost.',
    ed25519: 'Trading needs Ed25519 in WebCrypto, which this browser lacks: use a newer one.',
    storage:
      'Trading needs IndexedDB to keep the key, which this browser denies here, as in a private window.',
  },
} as const
