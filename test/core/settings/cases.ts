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

const LOCAL_POSTGRES = {
  hosts: [{ host: '127.0.0.1', port: 5432 }],
  user: 'prepd',
  password: '',
  database: 'prepd',
  tls: null,
  waitMaxMs: 1000,
}

/** Addresses of PostgreSQL. */
export const POSTGRES: Cases = {
  good: [
    ['postgres://prepd@127.0.0.1/prepd', LOCAL_POSTGRES],
    ['postgresql://prepd@127.0.0.1:5432/prepd?sslmode=disable', LOCAL_POSTGRES],
    [
      'postgres://us%40er:p%2Fw%3A@[::1]:6000,localhost/d%20b',
      {
        hosts: [
          { host: '::1', port: 6000 },
          { host: 'localhost', port: 5432 },
        ],
        user: 'us@er',
        password: 'p/w:',
        database: 'd b',
        tls: null,
        waitMaxMs: 1000,
      },
    ],
    [
      'postgres://prepd@:5433/prepd?host=/run/postgresql',
      { ...LOCAL_POSTGRES, hosts: [{ host: '/run/postgresql', port: 5433 }] },
    ],
    [
      'postgres://prepd:x@db.example/prepd?sslmode=verify-full&sslrootcert=/etc/ca.pem',
      {
        ...LOCAL_POSTGRES,
        hosts: [{ host: 'db.example', port: 5432 }],
        password: 'x',
        tls: { caPath: '/etc/ca.pem' },
      },
    ],
  ],
  bad: [
    '',
    'postgres://',
    'postgres://127.0.0.1/prepd',
    'postgres://prepd@127.0.0.1',
    'postgres://prepd@127.0.0.1/',
    'postgres://prepd@127.0.0.1:0/prepd',
    'postgres://prepd@127.0.0.1:65536/prepd',
    'postgres://prepd@127.0.0.256/prepd',
    'postgres://prepd@127.0.0.1/a/b',
    'postgres://prepd@127.0.0.1/prepd#x',
    'postgres://prepd@127.0.0.1/prepd?sslmode=prefer',
    'postgres://prepd@127.0.0.1/prepd?sslrootcert=/etc/ca.pem',
    'postgres://prepd@127.0.0.1/prepd?sslmode=disable&sslmode=verify-full',
    'postgres://prepd@127.0.0.1/prepd?options=-c',
    'postgres://prepd@127.0.0.1/prepd ',
    'postgres://pre%ZZpd@127.0.0.1/prepd',
    'postgres://prepd@db.example/prepd',
    'postgres://prepd@db.example/prepd?sslmode=require',
    'postgres://prepd@127.0.0.1,db.example/prepd',
    'postgres://prepd@127.0.0.1/prepd?host=relative',
    'mysql://prepd@127.0.0.1/prepd',
    '127.0.0.1:5432',
  ],
}

const LOCAL_VALKEY = {
  hosts: [{ host: '127.0.0.1', port: 6379 }],
  sentinelName: null,
  user: '',
  password: '',
  database: 0,
  tls: null,
  connectMaxMs: 1000,
  waitMaxMs: 250,
}

/** Addresses of Valkey. */
export const VALKEY: Cases = {
  good: [
    ['redis://127.0.0.1', LOCAL_VALKEY],
    ['valkey://127.0.0.1:6379/', LOCAL_VALKEY],
    [
      'redis://:p%40ss@localhost:7000/3',
      {
        ...LOCAL_VALKEY,
        hosts: [{ host: 'localhost', port: 7000 }],
        password: 'p@ss',
        database: 3,
      },
    ],
    [
      'rediss://u:p@kv.example?cacert=/etc/ca.pem',
      {
        ...LOCAL_VALKEY,
        hosts: [{ host: 'kv.example', port: 6379 }],
        user: 'u',
        password: 'p',
        tls: { caPath: '/etc/ca.pem' },
      },
    ],
    [
      'valkeys://kv.example',
      { ...LOCAL_VALKEY, hosts: [{ host: 'kv.example', port: 6379 }], tls: { caPath: null } },
    ],
    [
      'valkey+sentinel://127.0.0.1,[::1]:26380/main',
      {
        ...LOCAL_VALKEY,
        hosts: [
          { host: '127.0.0.1', port: 26379 },
          { host: '::1', port: 26380 },
        ],
        sentinelName: 'main',
      },
    ],
  ],
  bad: [
    '',
    'redis://',
    'redis://kv.example',
    'valkey://10.0.0.5:6379',
    'redis://127.0.0.1?cacert=/etc/ca.pem',
    'redis://127.0.0.1/x',
    'redis://127.0.0.1,localhost',
    'redis://127.0.0.1/1/2',
    'valkey+sentinel://127.0.0.1',
    'valkey+sentinel://127.0.0.1/a b',
    'valkey+sentinel://s1.example,s2.example/main',
    'redis+tls://127.0.0.1',
    'http://127.0.0.1',
    '127.0.0.1:6379',
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
