// Verifies a log that was exported from Bursar: node verify-log.mjs bursar-log.jsonl [head of an earlier export]
// What it does not prove: that the rows tell the truth; that everything that happened has a row; and, without the head of an
// export that you kept yourself, that Bursar has not rewritten the whole log. docs/exports.md says more.
import { ok } from 'node:assert'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** Null if these lines are the whole log, and it contains the earlier head; else what is wrong. */
export async function problemOf(lines, earlier) {
  let [number, seq, rows, head, next, isFound] = [0, 0, 0, '0'.repeat(64), undefined, !earlier]
  try {
    for await (const line of lines) {
      number++
      ok(next !== null, 'this follows the end')
      const row = JSON.parse(line)
      if (row.end) {
        const end = { rows, head: rows > 0 ? head : null, next: row.end.next }
        ok(line === JSON.stringify({ end }), 'rows are missing before this, or it was changed')
        ;[rows, next] = [0, end.next]
        continue
      }
      const { at, event, ref, data, by, via, hash } = row
      const written = { seq: row.seq, at, event, ref, data, by, via, previous: head, hash }
      ok(line === JSON.stringify(written), 'this does not follow the row before, or was changed')
      const content = JSON.stringify([head, row.seq, at, event, ref, data, by, via])
      ok(createHash('sha256').update(content).digest('hex') === hash, 'this was changed')
      // Numbers are left out only when an account was restored: those of the rows that it lost.
      ok(event === 'account.restored' ? row.seq > seq : row.seq === seq + 1, 'a row is missing before this')
      ;[seq, rows, head, next, isFound] = [row.seq, rows + 1, hash, undefined, isFound || hash === earlier]
    }
    ok(next === null, 'the file was cut after this')
    ok(isFound, 'the earlier head is nowhere above')
    return null
  } catch (error) {
    return `Line ${number}: ${error.message}`
  }
}

async function* linesOf(file) {
  let rest = ''
  for await (const part of createReadStream(file, 'utf8')) {
    const lines = (rest + part).split('\n')
    rest = lines.pop()
    yield* lines
  }
  if (rest) yield rest
}

if (process.argv[1]?.endsWith('verify-log.mjs')) {
  const problem = await problemOf(linesOf(process.argv[2]), process.argv[3])
  console.log(problem ?? 'Each row follows the one before it, and none was changed, removed, inserted or cut off.')
  process.exitCode = problem ? 1 : 0
}
