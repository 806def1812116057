import { ACT_NAMES, ACTS, ACTS_ROOT, type ActName } from '../../contract/operator/acts.ts'
import { COMMAND_NAMES, commandPath } from '../../contract/venue/commands.ts'

/** Where an account is made a first-level affiliate of the embedded venue. */
export const PROMOTE = '/api/admin/venue/promote'

/** The document of the acts on the operator's listener. */
export const ACTS_DOCUMENT = `${ACTS_ROOT}openapi.json`

/** Every act by its whole path. */
export const ACT_PATHS: ReadonlyMap<string, ActName> = new Map(
  ACT_NAMES.map((name) => [`${ACTS_ROOT}${ACTS[name].path}`, name]),
)

/** Every command to the embedded venue. */
const COMMAND_PATHS: readonly string[] = COMMAND_NAMES.map(commandPath)

/** The operator's paths on the public listener, which are reached by no other spelling. */
export const OPERATOR_PATHS = [PROMOTE, ...ACT_PATHS.keys(), ...COMMAND_PATHS]

/** The same of the operator's listener. */
export const OPS_PATHS = [...ACT_PATHS.keys(), ACTS_DOCUMENT]
