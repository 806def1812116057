import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { headerOf, type Recorded } from '../recording-upstream.ts'
import { USUAL_KINDS } from '../target.ts'
import {
  accepted,
  exists,
  isSignedBy,
  openScriptedProgram,
  PATHS,
  refusal,
  type Scene,
  type Script,
  type ScriptedProgram,
} from './scripted-program.ts'

describe.each([...USUAL_KINDS])('a referral code on a live venue, %s', (kind) => {
  let program: ScriptedProgram
  let scene: Scene

  beforeAll(async () => {
    program = await openScriptedProgram(kind)
  })
  afterAll(() => program.stop())
  beforeEach(() => {
    scene = program.scene()
  })

  const code = (text = 'MYCODE') => scene.post('code', { accountId: scene.accountId, code: text })
  const isSigned = (request: Recorded) => isSignedBy(program.operator.accountId, request)

  test('a code is created with the operator’s signature, after looking twice', async () => {
    scene.venue({ create: accepted() })
    expect(await code(' mycode ')).toEqual({
      status: 200,
      body: { created: true, code: 'MYCODE', maxRebateRate: 0.25 },
    })
    const [info, verify, create, ...others] = scene.sent()
    expect(others).toEqual([])
    expect(info?.target).toBe(`${PATHS.info}?account_id=${scene.accountId}`)
    expect(verify?.target).toBe(`${PATHS.verify}?referral_code=MYCODE`)
    expect(create?.text).toBe(
      `{"account_id":"${scene.accountId}","referral_code":"MYCODE","bonus_max_rebate_rate":0.25}`,
    )
    expect([info, create].map((request) => request && isSigned(request))).toEqual([true, true])
    expect(verify && headerOf(verify, 'orderly-signature')).toBeUndefined()
  })

  test('an account id in capitals is the same account', async () => {
    scene.venue({ create: accepted() })
    const shouted = scene.accountId.toUpperCase().replace('0X', '0x')
    expect((await scene.post('code', { accountId: shouted, code: 'CAPS' })).body.created).toBe(true)
    expect(scene.sent()[0]?.target).toContain(scene.accountId)
  })

  test.each(['abc', 'way-too-long', '', '    '])(
    'the code %j is refused before anything is sent',
    async (text) => {
      scene.venue({})
      expect((await code(text)).body).toEqual({ created: false, reason: 'format' })
      expect(scene.sent()).toEqual([])
    },
  )

  test.each(['admin', 'PrepD', ' support '])(
    'the word %j is reserved, and nothing is sent',
    async (text) => {
      scene.venue({})
      expect((await code(text)).body).toEqual({ created: false, reason: 'reserved' })
      expect(scene.sent()).toEqual([])
    },
  )

  test('an account with a code keeps it, whatever else is true', async () => {
    scene.venue({ info: scene.row('THEIRS'), verify: exists(true) })
    expect((await code()).body).toEqual({ created: false, reason: 'already_affiliate' })
    expect(scene.sent().map(({ target }) => target)).toEqual([
      `${PATHS.info}?account_id=${scene.accountId}`,
    ])
  })

  test('a code somebody holds is taken, and no creation is tried', async () => {
    scene.venue({ verify: exists(true) })
    expect((await code()).body).toEqual({ created: false, reason: 'taken' })
    expect(scene.writes()).toEqual([])
  })

  test.each([-1005, -1004, -1607, -1012, -1234])(
    'a definite refusal (%p) means no affiliate',
    async (number) => {
      scene.venue({ create: refusal(400, number) })
      expect(await code()).toEqual({
        status: 200,
        body: { created: false, reason: 'not_affiliate' },
      })
      expect(scene.writes()).toHaveLength(1)
    },
  )

  test('a creation that lost a race says why it lost', async () => {
    scene.venue({ create: refusal(409, -1007), verify: [exists(false), exists(true)] })
    expect((await code()).body).toEqual({ created: false, reason: 'taken' })
    scene.venue({ create: refusal(409, -1007), info: [scene.row(null), scene.row('OTHER')] })
    expect((await code()).body).toEqual({ created: false, reason: 'already_affiliate' })
  })

  const faults: { name: string; next: Script; status: number; code: string }[] = [
    {
      name: 'a read it cannot serve',
      next: { info: { status: 502, body: '<html>', contentType: 'text/html' } },
      status: 502,
      code: 'upstream_unavailable',
    },
    {
      name: 'an answer that says neither',
      next: { verify: accepted({}) },
      status: 502,
      code: 'upstream_unavailable',
    },
    {
      name: 'a busy read',
      next: { info: refusal(429, -1003) },
      status: 503,
      code: 'upstream_busy',
    },
    {
      name: 'an operator key it does not know',
      next: { info: refusal(401, -1002) },
      status: 503,
      code: 'not_configured',
    },
    {
      name: 'an operator key of another secret',
      next: { info: refusal(401, -1001) },
      status: 503,
      code: 'not_configured',
    },
  ]
  test.each(faults)(
    '$name is a failure and not a reason; nothing is written',
    async ({ next, status, code: name }) => {
      scene.venue(next)
      const answer = await code()
      expect(answer).toMatchObject({ status, body: { code: name } })
      expect(JSON.stringify(answer.body)).not.toContain('orderly')
      expect(scene.writes()).toEqual([])
    },
  )

  test('a refused operator key is told to the operator, without the key', async () => {
    scene.venue({ create: refusal(401, -1002) })
    expect(await code()).toMatchObject({ status: 503, body: { code: 'not_configured' } })
    expect(program.target.log()).toContain('operator.key_refused')
    expect(program.target.log()).not.toContain(program.operator.secret.toHex())
  })

  test('a creation the venue was too busy for may be sent again', async () => {
    scene.venue({ create: [refusal(429, -1003), accepted()] })
    expect(await code()).toMatchObject({ status: 503, body: { code: 'upstream_busy' } })
    expect((await code()).body.created).toBe(true)
    expect(scene.writes()).toHaveLength(2)
  })

  test('after a lost answer the venue is asked, and the code it shows was created', async () => {
    scene.venue({
      create: 'close',
      info: [scene.row(null), scene.row('MYCODE', { bonus_max_rebate_rate: 0.25 })],
    })
    expect((await code()).body).toEqual({ created: true, code: 'MYCODE', maxRebateRate: 0.25 })
    expect(scene.writes()).toHaveLength(1)
  })

  test('a lost answer the venue cannot clear up is unknown, and is not sent again', async () => {
    scene.venue({ create: 'close' })
    expect(await code()).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
    expect(await code('ANOTHER')).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
    expect(scene.writes()).toHaveLength(1)
    scene.venue({ info: scene.row('MYCODE') })
    expect((await code()).body).toEqual({ created: false, reason: 'already_affiliate' })
  })

  test('a lost answer that the venue then cannot be asked about is unknown', async () => {
    scene.venue({ create: 'close', info: [scene.row(null), 'close'] })
    expect(await code()).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
    expect(scene.writes()).toHaveLength(1)
  })

  test('an account that the venue’s list does not know has no code yet', async () => {
    scene.venue({ info: refusal(400, -1607), create: accepted() })
    expect((await code()).body).toMatchObject({ created: true, code: 'MYCODE' })
    expect(scene.writes()).toHaveLength(1)
  })

  /** A venue that takes its time to create a code, and shows it from then on. */
  const slowVenue = (script: Script = {}) => {
    let isCreated = false
    scene.venue({
      info: () => scene.row(isCreated ? 'CREATED' : null),
      create: async () => {
        await Bun.sleep(20)
        isCreated = true
        return accepted()
      },
      ...script,
    })
  }

  test('of a hundred calls for one code one creates it', async () => {
    slowVenue()
    const answers = await Promise.all(Array.from({ length: 100 }, () => code()))
    const [first, ...rest] = answers.map(({ body }) => body).sort((a, b) => b.created - a.created)
    expect(first).toEqual({ created: true, code: 'MYCODE', maxRebateRate: 0.25 })
    for (const body of rest) expect(body).toEqual({ created: false, reason: 'already_affiliate' })
    expect(scene.writes()).toHaveLength(1)
  })

  test('calls for different codes end as if they had come in a row', async () => {
    slowVenue({ verify: [exists(true), exists(false)] })
    const answers = await Promise.all(['FIRST', 'SECOND', 'THIRD'].map(code))
    const outcomes = answers.map(({ body }) => body.reason ?? 'created')
    expect(outcomes.sort()).toEqual(['already_affiliate', 'created', 'taken'])
    expect(scene.writes()).toHaveLength(1)
  })
})
