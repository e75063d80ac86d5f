import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { weightsInWords } from '../support/computeUnits.ts'

test('docs/scale.md names the weights with which the costs at nodes are counted @costs-2', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8').replace(/[\s`]+/g, ' ')
  expect(text).toContain(weightsInWords.join(', '))
})
