/** The last address segment of a page other than trading, such as `portfolio`. Market symbols have other characters. */
export const PAGE_SEGMENT = /^[a-z]{1,20}$/
