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

/** Where spans go, and what is sent with them. */
export const COLLECTOR: Cases = {
  good: [
    ['off', null],
    ['http://collector:4318', new URL('http://collector:4318')],
    ['https://otel.example/tenant', new URL('https://otel.example/tenant')],
  ],
  bad: [
    '',
    'collector:4317',
    'grpc://collector:4317',
    'https://user:key@otel.example',
    'https://a?x',
  ],
}

export const COLLECTOR_HEADERS: Cases = {
  good: [
    ['authorization=Bearer%20abc', { authorization: 'Bearer abc' }],
    ['X-Scope=a, x-key=b=c', { 'x-scope': 'a', 'x-key': 'b=c' }],
  ],
  bad: ['', 'authorization', '=x', 'a=', 'a=b,', 'a b=c', 'a=%', 'a=%0a', 'a=%C3%A4'],
}
