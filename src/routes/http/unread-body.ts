import { Failure } from '../../core/failure.ts'

/** The failure of a body that was not read to its end: its connection is closed with the answer. */
export class UnreadBody extends Failure {}
