/** The path of the signed acts on a mandate; it is never valid at the venue. */
export const MANDATE_PATH = '/api/prep/mandate'
