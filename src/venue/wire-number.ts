/** A number whose JSON text is exactly its decimal value: money never passes through a float on its way out. */
export type WireNumber = { readonly rawJSON: string }

const rawJson = (JSON as typeof JSON & { rawJSON: (text: string) => WireNumber }).rawJSON

/** Prints an integer scaled by 10^scale as a JSON number without trailing zeros. */
function scaled(value: bigint, scale: number): WireNumber {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, -scale)
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return rawJson(sign + whole + (fraction && `.${fraction}`))
}

/** A price or quantity: eight decimals. */
export function fixed(value: bigint): WireNumber {
  return scaled(value, 8)
}

/** A USDC amount: six decimals. */
export function micro(value: bigint): WireNumber {
  return scaled(value, 6)
}
