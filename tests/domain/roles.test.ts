import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allowed, type Call, isAllowed, memberRoles, roleTexts } from '#domain/roles.ts'

/** The table of roles in docs/features/people.md. */
function tableOfRoles(): string {
  const cell = (is: boolean) => (is ? 'yes' : '')
  const roles = ['owner', ...memberRoles] as const
  const rows = (Object.keys(allowed) as Call[]).map(
    (call) => `| \`${call}\` | ${roles.map((role) => cell(isAllowed(role, call))).join(' | ')} |`,
  )
  return [
    `| Call | ${roles.join(' | ')} |`,
    `|---|${roles.map(() => '---').join('|')}|`,
    ...rows,
    `| every other | yes | ${memberRoles.map(() => '').join(' | ')} |`,
  ].join('\n')
}

test('the docs have the table of roles as it is @roles-1', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/features/people.md'), 'utf8')
  expect(page).toContain(tableOfRoles())
})

test('what a role may do is one sentence, without what it may not do @roles-2', () => {
  for (const text of Object.values(roleTexts)) expect(`Can ${text}.`).toMatch(/^Can see payments and rules[\w ,]+\.$/)
})
