import { Type } from '@sinclair/typebox'
import { matchesSchema } from '../../core/parse-body.ts'
import { assertAllowedSymbol } from '../limit-rules.ts'
import { limitsLeft } from '../limits/rows.ts'
import { limitsVerdict } from '../limits/verdict.ts'
import { prepareOrder } from '../orders/prepare.ts'
import { draftPlan, PLAN, type Plan, planId, plannedMarketOrder } from '../orders/rebalance-plan.ts'
import { sendPlan } from '../orders/rebalance-send.ts'
import { invalidArgument, toToolFailure } from '../refusal.ts'
import type { SignedContext, Tool } from '../tool.ts'
import { argumentSchema, optional } from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { exactMarket } from '../views/market.ts'

const rebalance = writeTool({
  name: 'rebalance',
  description:
    'Bring positions to target weights in two calls. With targets: answers a plan; show it to the user. With that plan, whole: places its REAL market orders one by one, reducing first, until one fails. No order of a plan is sent twice.',
  arguments: argumentSchema({
    targets: optional(
      Type.Object(
        { PERP_ETH_USDC: Type.Optional(Type.Number()) },
        {
          description:
            'Share of account value by market: 0.3 = 30% long, negative is short, 0 closes. Others stay.',
          additionalProperties: Type.Number(),
        },
      ),
    ),
    plan: optional(
      Type.Object(
        { id: Type.String() },
        { description: 'As answered.', additionalProperties: true },
      ),
    ),
  }),
  effect: 'answers a plan for all targets, or places all orders of the plan',
  otherWays: {
    dry_run: 'With targets it sends nothing: it answers a plan.',
    slippage: 'A market that has moved by more than 1 % fails, and ends the plan.',
    market: 'Only the markets in targets are traded: name no others.',
  },
  idempotent: true,
  run: async (context, { targets, plan }) => {
    if (targets !== undefined && plan !== undefined) {
      throw invalidArgument('plan', 'conflicting', { next: 'Give targets or plan, not both.' })
    }
    if (plan !== undefined) return executePlan(context, parsePlan(plan))
    if (targets === undefined) throw invalidArgument('targets', 'missing')
    return previewed(context, targets)
  },
})

export const REBALANCE_TOOLS: readonly Tool[] = [rebalance]

async function previewed(context: SignedContext, targets: Readonly<Record<string, number>>) {
  const { plan, tooSmall, untouched } = await draftPlan(context, targets)
  const { problems, approvals } = await readPlanProblems(context, plan)
  const gross = plan.markets.reduce((sum, { target_weight }) => sum + Math.abs(target_weight), 0)
  return {
    plan,
    gross_weight_after: Number(gross.toFixed(4)),
    too_small_to_send: tooSmall,
    untouched_positions: untouched,
    problems,
    ...(approvals.length > 0 && { needs_approval: approvals }),
    ...(await limitsLeft(context)),
    next: nextAfterPlan(plan, problems),
  }
}

function nextAfterPlan({ writes }: Plan, problems: readonly object[]): string {
  if (problems.length > 0)
    return 'Tell the user the problems: an order that has one fails, and ends the plan there.'
  return writes.length === 0
    ? 'Nothing to send: the positions are as close to the targets as the smallest orders allow.'
    : 'Show this to the user; when they agree, call rebalance with plan, unchanged, within 15 minutes. The exchange checks margin order by order.'
}

/** Reads the rules and limits that a plan's orders break; all orders count together towards the limits. */
async function readPlanProblems(context: SignedContext, { writes }: Plan) {
  const prepared = await Promise.all(
    writes.map(async (write) =>
      prepareOrder(context, await exactMarket(context, write.symbol), plannedMarketOrder(write)),
    ),
  )
  const valued = prepared.map(({ market: { symbol }, args: { side }, spending }) => {
    return { symbol, side, spending }
  })
  const { broken, approvals } = await limitsVerdict(context, valued)
  const problems: readonly object[] = [
    ...prepared.flatMap(({ check, market: { symbol } }) =>
      check.problems.map((problem) => ({ symbol, ...problem })),
    ),
    ...broken.map((row) => ({ code: 'mandate_exceeded', ...row })),
    ...writes.flatMap(({ symbol }) => symbolRefusals(context, symbol)),
  ]
  return { problems, approvals }
}

function symbolRefusals(context: SignedContext, symbol: string): readonly object[] {
  try {
    assertAllowedSymbol(context, symbol)
    return []
  } catch (error) {
    const { code, meta } = toToolFailure(error)
    return [{ symbol, code, ...meta }]
  }
}

/** Parses a plan that was returned earlier. Throws invalid_request if any part of it was changed. */
function parsePlan(given: unknown): Plan {
  if (matchesSchema(PLAN, given) && given.id === planId(given)) return given
  throw invalidArgument('plan', 'malformed', { next: CHANGED })
}

const CHANGED =
  'This is not a plan as it was answered: its id is the digest of the rest. Send it back whole and unchanged, or call with targets for a new one.'

async function executePlan(context: SignedContext, plan: Plan) {
  const writes = await sendPlan(context, plan)
  const isDone = writes.every(({ outcome }) => outcome === 'filled')
  return {
    plan_id: plan.id,
    done: isDone,
    writes,
    ...(await limitsLeft(context)),
    next: nextAfter(writes),
  }
}

function nextAfter(writes: Awaited<ReturnType<typeof sendPlan>>): string {
  if (writes.every(({ outcome }) => outcome === 'filled'))
    return 'All orders are filled: list_positions shows the positions.'
  return writes.some(({ code }) => code === 'approval_required')
    ? 'Give the user the link in meta: the owner of the account approves there with a wallet. Then call with the same plan, unchanged.'
    : 'Tell the user which orders went out and where it stopped. Call with targets for a new plan.'
}
