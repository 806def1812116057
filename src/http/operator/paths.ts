import { ACT_NAMES, ACTS, ACTS_ROOT, type ActName } from '../../contract/operator/acts.ts'
import { COMMAND_NAMES, commandPath } from '../../contract/venue/commands.ts'

/** The path that makes an account a first-level affiliate of the embedded venue. */
export const PROMOTE = '/api/admin/venue/promote'

/** The path of the OpenAPI document of the actions on the operator's listener. */
export const ACTS_DOCUMENT = `${ACTS_ROOT}openapi.json`

/** All actions by full path. */
export const ACT_PATHS: ReadonlyMap<string, ActName> = new Map(
  ACT_NAMES.map((name) => [`${ACTS_ROOT}${ACTS[name].path}`, name]),
)

/** The paths of all commands to the embedded venue. */
const COMMAND_PATHS: readonly string[] = COMMAND_NAMES.map(commandPath)

/** The operator's paths on the public listener. Only this exact spelling reaches them. */
export const OPERATOR_PATHS = [PROMOTE, ...ACT_PATHS.keys(), ...COMMAND_PATHS]

/** The paths on the operator's listener. */
export const OPS_PATHS = [...ACT_PATHS.keys(), ACTS_DOCUMENT]
