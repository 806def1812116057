import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { accountTag } from '../../src/core/crypto/account-tag.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, USUAL_KINDS } from '../target.ts'
import { temporaryFolder } from './spawned.ts'

test.each([...USUAL_KINDS])(
  'a write whose outcome is unknown is shown by the account’s name in the log, %s',
  async (kind) => {
    using folder = temporaryFolder()
    const venue = await startRecordingUpstream(({ method }) =>
      method === 'POST' ? 'close' : { json: { success: true, timestamp: Date.now(), data: {} } },
    )
    const target = await openTarget(kind, { VENUE: venue.url, DATA_DIR: folder.path })
    const reasons = async () =>
      Object(await (await target.ops('/console/figures')).json()).verdict.filter(
        ({ title }: { readonly title: string }) => title.includes('outcome of a relayed write'),
      )
    expect(await reasons()).toEqual([])
    const caller = newCaller()
    const order = envelope(caller, { method: 'POST', path: '/v1/order', body: '{}' })
    const answer = await target.fetch('/api/prep/relay', jsonPost(order))
    expect(Object(await answer.json()).code).toBe('outcome_unknown')
    const key = Buffer.from(readFileSync(`${folder.path}/prepd.logkey`, 'utf8').trim(), 'hex')
    const tag = accountTag(key, caller.accountId)
    const [reason, ...others] = await reasons()
    expect(others).toEqual([])
    expect(reason).toMatchObject({ level: 'page', at: 'writes' })
    expect(reason.figure).toStartWith(`The newest: account ${tag} at 20`)
    expect(JSON.stringify(reason)).not.toContain(caller.accountId)
    await target.stop()
    await venue.stop()
  },
)
