import type { Store } from '../../core/ports.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const PUT: Statement = {
  name: 'put nonce',
  text: `INSERT INTO prepd_nonces (nonce, expires_at) VALUES ($1, to_timestamp($2::float8 / 1000))
    ON CONFLICT (nonce) DO UPDATE SET expires_at = excluded.expires_at`,
}
const TAKE: Statement = {
  name: 'take nonce',
  text: 'DELETE FROM prepd_nonces WHERE nonce = $1 AND expires_at > now()',
}
const LIST: Statement = {
  name: 'list nonces',
  text: `SELECT nonce, (extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs"
    FROM prepd_nonces ORDER BY expires_at DESC LIMIT $1`,
}
const COUNT: Statement = {
  name: 'count nonces',
  text: 'SELECT count(*)::int AS count FROM prepd_nonces',
}
const CLEAR: Statement = { name: 'clear nonces', text: 'DELETE FROM prepd_nonces' }

type Row = { readonly nonce: string; readonly expiresAtMs: number }

/** Registration nonces: issued by one instance, burnt by any, on the clock of the engine. */
export function nonceTable({ ask }: Pick<Link, 'ask'>): Store['nonces'] {
  return {
    issue: async (nonce, expiresAtMs) => void (await guarded(ask(PUT, [nonce, expiresAtMs]))),
    burn: async (nonce) => (await guarded(ask(TAKE, [nonce]))).count === 1,
    release: async (nonce, expiresAtMs) =>
      ask(PUT, [nonce, expiresAtMs]).then(
        () => undefined,
        () => undefined,
      ),
    list: async (rowsMax) => {
      const { rows } = await guarded(ask<Row>(LIST, [rowsMax]))
      const counted = await guarded(ask<{ count: number }>(COUNT))
      return { count: counted.rows[0]?.count ?? 0, rows }
    },
    purge: async () => (await guarded(ask(CLEAR))).count,
  }
}
