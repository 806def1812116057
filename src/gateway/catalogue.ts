import type { Static } from '@sinclair/typebox'
import type { CatalogueAnswer } from '../contract/envelope.ts'
import { FAILURES } from '../contract/failures.ts'
import {
  CATALOGUE_VERSION,
  OPERATION_GROUPS,
  OPERATIONS,
  type Operation,
} from '../contract/operations.ts'
import { ROUTES } from '../contract/routes.ts'
import { isStreamName, STREAMS, type StreamName, topicTemplate } from '../contract/stream/topics.ts'
import type { Answer } from './cache/answer.ts'
import { answerFromCache, type MarketAccess, publicReply } from './market/cached-answers.ts'

/** `{version, operations, groups, errors}`: the machine-readable catalogue for clients. */
export function catalogueAnswer(deps: Pick<MarketAccess, 'cache' | 'scrub'>): Promise<Answer> {
  return answerFromCache(deps, ROUTES.catalogue, async () => publicReply(deps, catalogue()))
}

type Catalogue = Static<typeof CatalogueAnswer>

/** The machine-readable list of catalogued operations, their groups, and the complete error set. */
function catalogue(): Catalogue {
  return {
    version: CATALOGUE_VERSION,
    operations: Object.entries(OPERATIONS).map(operationEntry),
    groups: Object.fromEntries(OPERATION_GROUPS.map((group) => [group, groupOperationIds(group)])),
    streams: Object.keys(STREAMS).filter(isStreamName).map(streamEntry),
    errors: Object.entries(FAILURES).map(([code, { status, error, retryable }]) => {
      return { code, status, message: error, retryable }
    }),
  }
}

function operationEntry([id, operation]: [string, Operation]): Catalogue['operations'][number] {
  return {
    id,
    summary: operation.summary,
    endpoint: `/api/prep/op/${id}`,
    method: 'GET',
    // This API takes all parameters in the query, even if a parameter becomes a segment of the venue's path.
    parameters: operation.parameters.map(({ name, required, description }) => {
      return { name, in: 'query', required, description }
    }),
    cacheSeconds: operation.freshSeconds,
  }
}

function streamEntry(name: StreamName): Catalogue['streams'][number] {
  const { summary, parameters, kind, intervalMs, reads } = STREAMS[name]
  return {
    topic: topicTemplate(name),
    summary,
    parameters: [...parameters],
    kind,
    beatMs: intervalMs,
    private: kind === 'account',
    reads: [...reads],
  }
}

function groupOperationIds(group: string): string[] {
  return Object.entries(OPERATIONS)
    .filter(([, operation]) => operation.group === group)
    .map(([id]) => id)
}
