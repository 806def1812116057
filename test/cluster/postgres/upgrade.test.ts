// Slow: PostgreSQL starts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Log } from '../../../src/core/ports.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { claimOf, openAt, SILENT } from './instance.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** A log that keeps the fields of upgrades. */
function upgradesTo(kept: unknown[]): Log {
  const info: Log['info'] = (event, fields) => {
    if (event === 'store_upgraded') kept.push(fields)
  }
  return { ...SILENT, info }
}

describe('instances that share a database', () => {
  test('open at once on an empty one, and make its tables once', async () => {
    const upgrades: unknown[] = []
    const url = await server.newDatabase()
    const log = upgradesTo(upgrades)
    const stores = await Promise.all(Array.from({ length: 8 }, () => openAt(url, { log })))
    expect(upgrades).toEqual([
      { engine: 'postgres', from: 0, to: 22, changes: expect.stringMatching(/^first tables, /) },
    ])
    const claims = await Promise.all(
      stores.map(({ once }, n) => once.claim(claimOf(`${n}`), Date.now())),
    )
    expect(claims).toEqual(stores.map(() => true))
    for (const store of stores) store.close()
  })

  test('say in one line what an upgrade changed, and nothing where none was needed', async () => {
    const url = await server.newDatabase()
    const upgrades: unknown[] = []
    const reopened = async () => (await openAt(url, { log: upgradesTo(upgrades) })).close()
    await (await openAt(url)).close()
    await reopened()
    expect(upgrades).toEqual([])
    await server.ask(
      `DROP TABLE prepd_agent_journal, prepd_agent_journal_bounds, prepd_agent_journal_owners;
       DROP FUNCTION prepd_agent_journal_keeps, prepd_agent_journal_add;
       ALTER TABLE prepd_mandates DROP COLUMN signed_at_ms;
       ALTER TABLE prepd_lineage DROP COLUMN records_lost_at,
         DROP COLUMN branch, DROP COLUMN branch_of, DROP COLUMN run, DROP COLUMN began_at,
         DROP COLUMN witness, DROP COLUMN has_standby;
       DROP TABLE prepd_spending_sums, prepd_spending_unseen;
       DROP TRIGGER prepd_spending_added ON prepd_spending;
       DROP TRIGGER prepd_spending_removed ON prepd_spending;
       DROP TRIGGER prepd_spending_changed ON prepd_spending;
       DROP FUNCTION prepd_spending_added, prepd_spending_removed, prepd_spending_changed, prepd_spending_seen;
       DROP TABLE prepd_approvals, prepd_webhooks, prepd_webhook_messages, prepd_instances, prepd_traffic;
       DROP TRIGGER prepd_claims_join_signed ON prepd_claims;
       DROP TRIGGER prepd_claims_leave_signed ON prepd_claims;
       ALTER TABLE prepd_claims DROP COLUMN is_of_earlier;
       DROP TABLE prepd_signed_claims;
       DROP FUNCTION prepd_claim_slot, prepd_drop_signed_claims, prepd_claims_join_signed, prepd_claims_leave_signed;
       ALTER TABLE prepd_spending DROP COLUMN ordinal, DROP COLUMN order_id;
       ALTER TABLE prepd_spending ADD PRIMARY KEY (scope, at_ms, identity, symbol);
       DROP INDEX prepd_spending_time;
       INSERT INTO prepd_spending VALUES ('a', 5, 'write', 'BTC', 7, 1), ('a', 5, 'write', 'ETH', 8, 1);
       UPDATE prepd_schema SET version = 8`,
      new URL(url).pathname.slice(1),
    )
    await reopened()
    const changes =
      'journal of agents, approvals, spending of orders, signed claims, webhooks of accounts, traffic of instances, sums of spending, approvals of accounts, signatures of mandates, shares of the journal, losses of records, branches of histories, askers of approvals, witnesses of histories'
    expect(upgrades).toEqual([{ engine: 'postgres', from: 8, to: 22, changes }])
    const spent = 'SELECT symbol, ordinal, micros FROM prepd_spending ORDER BY symbol'
    expect(await server.ask(spent, new URL(url).pathname.slice(1))).toMatchObject([
      { symbol: 'BTC', ordinal: 0, micros: '7' },
      { symbol: 'ETH', ordinal: 1, micros: '8' },
    ])
  })
})
