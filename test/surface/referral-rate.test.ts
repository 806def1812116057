import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { USUAL_KINDS } from '../target.ts'
import {
  accepted,
  isSignedBy,
  openScriptedProgram,
  refusal,
  type Scene,
  type ScriptedProgram,
} from './scripted-program.ts'

describe.each([...USUAL_KINDS])('a referral rate on a live venue, %s', (kind) => {
  let program: ScriptedProgram
  let scene: Scene

  beforeAll(async () => {
    program = await openScriptedProgram(kind)
  })
  afterAll(() => program.stop())
  beforeEach(() => {
    scene = program.scene()
  })

  const rate = (extra: object = {}) => scene.post('rate', { accountId: scene.accountId, ...extra })

  test('a rate of zero is raised to the operator’s, whatever the body says', async () => {
    scene.venue({ info: scene.row('MYCODE', { bonus_max_rebate_rate: 0 }), update: accepted() })
    expect(await rate({ rate: 0.9, bonus_rebate_rate: 1 })).toEqual({
      status: 200,
      body: { updated: true, rate: 0.25 },
    })
    expect(scene.writes().map(({ text }) => text)).toEqual([
      `{"bonus_rebate_rate":0.25,"account_ids":["${scene.accountId}"]}`,
    ])
    expect(scene.writes().map((sent) => isSignedBy(program.operator.accountId, sent))).toEqual([
      true,
    ])
  })

  test.each([
    { fields: { bonus_max_rebate_rate: 0.05 }, stays: 0.05 },
    { fields: { bonus_max_rebate_rate: 0, max_rebate_rate: 0.4 }, stays: 0.4 },
  ])('the rate $stays is not touched', async ({ fields, stays }) => {
    scene.venue({ info: scene.row('MYCODE', fields) })
    expect((await rate()).body).toEqual({ updated: false, reason: 'already_set', rate: stays })
    expect(scene.writes()).toEqual([])
  })

  test('an account without a code is no affiliate and is not made one', async () => {
    scene.venue({})
    expect((await rate()).body).toEqual({ updated: false, reason: 'not_affiliate' })
    expect(scene.writes()).toEqual([])
  })

  test('an account of a lower level is no affiliate', async () => {
    scene.venue({ info: scene.row('MYCODE', { max_rebate_rate: 0 }), update: refusal(400, -1005) })
    expect((await rate()).body).toEqual({ updated: false, reason: 'not_affiliate' })
    expect(scene.writes()).toHaveLength(1)
  })

  test('a rate that cannot be read is not overwritten', async () => {
    scene.venue({ info: scene.row('MYCODE') })
    expect(await rate()).toMatchObject({ status: 502, body: { code: 'upstream_unavailable' } })
    expect(scene.writes()).toEqual([])
  })

  test('after a lost answer the rate the venue shows decides', async () => {
    const zero = scene.row('MYCODE', { max_rebate_rate: 0 })
    scene.venue({ update: 'close', info: [zero, scene.row('MYCODE', { max_rebate_rate: 0.25 })] })
    expect((await rate()).body).toEqual({ updated: true, rate: 0.25 })
    scene.venue({ update: 'close', info: [zero, scene.row('MYCODE', { max_rebate_rate: 0.3 })] })
    expect((await rate()).body).toEqual({ updated: false, reason: 'already_set', rate: 0.3 })
    for (const last of [zero, 'close'] as const) {
      scene.venue({ update: 'close', info: [zero, last] })
      expect(await rate()).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
    }
    scene.venue({ update: 'close', info: zero })
    expect(await rate()).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
  })

  test('of a hundred calls one raises the rate', async () => {
    let rateNow = 0
    scene.venue({
      info: () => scene.row('MYCODE', { max_rebate_rate: rateNow }),
      update: async () => {
        await Bun.sleep(20)
        rateNow = 0.25
        return accepted()
      },
    })
    const answers = await Promise.all(Array.from({ length: 100 }, () => rate()))
    const updated = answers.filter(({ body }) => body.updated)
    expect(updated).toHaveLength(1)
    expect(answers.every(({ body }) => body.rate === 0.25)).toBe(true)
    expect(scene.writes()).toHaveLength(1)
  })
})

test.each([...USUAL_KINDS])('an operator’s rate of zero is never written, %s', async (kind) => {
  const program = await openScriptedProgram(kind, '0')
  const scene = program.scene()
  scene.venue({ info: scene.row('MYCODE', { max_rebate_rate: 0 }), update: accepted() })
  expect((await scene.post('rate', { accountId: scene.accountId })).body).toEqual({
    updated: false,
    reason: 'already_set',
    rate: 0,
  })
  expect(scene.writes()).toEqual([])
  await program.stop()
})
