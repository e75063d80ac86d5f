const aDigit = /\p{Nd}/u

/**
 * Writes the decimal digits of every script as 0 to 9: '١٢' and '１２' → '12'. Unicode keeps the ten digits of a script
 * together, in order, and groups of ten next to each other begin with a zero (section 4.6 of the standard).
 */
export const asciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    if (digit <= '9') return digit
    const code = digit.codePointAt(0)!
    let before = 0
    while (aDigit.test(String.fromCodePoint(code - before - 1))) before += 1
    return String(before % 10)
  })
