import { readdirSync, readFileSync } from 'node:fs'
import { parseSync } from '@swc/core'
import { expect, test } from 'vitest'

/** What the SQL names, so that payments that wait for approval or were refused are not counted by accident. */
const namesStatuses = /\bstatus (=|IN) |\$\{(isAlive|onlyHeld)\}|\baccepted_at IS NOT NULL\b|\brefusal IS NOT NULL\b/
const aggregates = /\b(count|sum|total|avg)\(/i
const readsPayments = /\b(FROM|JOIN)\s+payment\b/

test('every count and sum over payments names the statuses that it counts', () => {
  const files = readdirSync('worker/treasury', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const texts = files.flatMap((file) => literalsIn(`worker/treasury/${file}`))
  const sums = texts.filter(({ text }) => readsPayments.test(text) && aggregates.test(text))
  expect(sums.length).toBeGreaterThan(2)
  expect(sums.filter(({ text }) => !namesStatuses.test(text))).toEqual([])
})

/** The string and template literals of a file, with the expressions in templates as written. */
function literalsIn(file: string): { file: string; text: string }[] {
  const source = Buffer.from(readFileSync(file))
  const { span, body } = parseSync(source.toString(), { syntax: 'typescript' })
  const texts: string[] = []
  JSON.stringify(body, (_, node) => {
    if (node?.type === 'TemplateLiteral' || node?.type === 'StringLiteral')
      texts.push(source.subarray(node.span.start - span.start, node.span.end - span.start).toString())
    return node
  })
  return texts.map((text) => ({ file, text }))
}
