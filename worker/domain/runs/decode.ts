import { maxRunBytes } from './row.ts'

/** Turns the bytes of an uploaded file into text. */

type Decoded = { ok: true; text: string } | { ok: false; message: string }

const isSpreadsheet = 'This is a spreadsheet, not a CSV file. Save it as CSV and upload that.'
/** How files begin that are no text. .xlsx, .ods and .numbers are zip files; .xls is OLE. */
const signatures: [bytes: number[], message: string][] = [
  [[0x50, 0x4b, 0x03, 0x04], isSpreadsheet],
  [[0x50, 0x4b, 0x05, 0x06], isSpreadsheet],
  [[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], isSpreadsheet],
  [[0x25, 0x50, 0x44, 0x46], 'This is a PDF, not a CSV file. Export the table as CSV and upload that.'],
  [[0x1f, 0x8b], 'This file is compressed. Unpack it and upload the CSV file in it.'],
]
const beginsWith = (bytes: Uint8Array, start: number[]) => start.every((byte, at) => bytes[at] === byte)

export function decodeRunFile(bytes: Uint8Array): Decoded {
  const known = signatures.find(([start]) => beginsWith(bytes, start))
  if (known) return { ok: false, message: known[1] }
  // UTF-16 has two bytes for most characters, and a byte order mark.
  if (bytes.length > 2 * maxRunBytes + 2)
    return { ok: false, message: `The file is larger than ${maxRunBytes / 1024} kB. Split it into several runs.` }
  const wide = utf16Of(bytes)
  const text = decoded(bytes, wide ?? 'utf-8')
  if (text !== null) return { ok: true, text }
  return { ok: false, message: wide ? 'The file is damaged. Save it again as “CSV UTF-8”.' : notUtf8(bytes) }
}

function decoded(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return null
  }
}

/** By the byte order mark or, without one, by the zero in each of the first two characters, which are of a header. */
function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [a, b, c, d] = bytes
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a && b === 0 && c && d === 0) return 'utf-16le'
  return a === 0 && b && c === 0 && d ? 'utf-16be' : null
}

function notUtf8(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8').decode(bytes)
  const line = text.slice(0, text.indexOf('\ufffd')).split(/\r\n|\r|\n/).length
  return `Line ${line} has characters that are not UTF-8. Save the file as “CSV UTF-8”.`
}
