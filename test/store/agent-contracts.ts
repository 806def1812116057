import { approvalContract } from './approval-contract.ts'
import { claimedUseContract } from './claimed-use-contract.ts'
import { journalContract } from './journal-contract.ts'
import { mandateContract } from './mandate-contract.ts'
import { spendingContract } from './spending-contract.ts'
import { webhookContract } from './webhook-contract.ts'

/** What every store must do for accounts with limits and their agents. */
export const OF_AGENTS = [
  ...[approvalContract, mandateContract, spendingContract],
  ...[claimedUseContract, journalContract, webhookContract],
]
