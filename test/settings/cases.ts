/** Texts of one kind of setting: what they mean, and those that mean nothing. */
export type Cases = {
  readonly good: readonly (readonly [text: string, value: unknown])[]
  readonly bad: readonly string[]
}

const PAID = { taker: 60_000, maker: -5_000 }

/** Texts of fees, and what is none: basis points as taker and maker. */
export const FEES: Cases = {
  good: [['6,-0.5', { fees: PAID, rwaFees: PAID }]],
  bad: ['', '6', '6,2,3', '6,2,3,4,5', '101,2', '6, 2', 'x,2', '6,2,', '1e1,2', '6,0.00001'],
}

/** Texts of addresses to listen on. */
export const LISTEN: Cases = {
  good: [
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['localhost:65535', { host: 'localhost', port: 65535 }],
  ],
  bad: [
    '',
    '8080',
    ':8080',
    'localhost',
    'localhost:',
    '::1:80',
    '[::1]',
    '[127.0.0.1]:80',
    '127.0.0.1:65536',
    '127.0.0.1:080',
    '256.0.0.1:80',
    '127.0.0.1:80 ',
    'http://localhost:80',
    'off',
  ],
}
