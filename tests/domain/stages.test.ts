/** How `npm test` chooses its stages. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { chooseStages, groupsOfLanes, UnknownWord } from '../run/stages.ts'

const groups = (all = false) => groupsOfLanes({ all, reports: '/reports' })
const chosen = (...words: string[]) => chooseStages(groups(), words).flat(2)
const names = (...words: string[]) => chosen(...words).map(({ name }) => name)

test('without words all stages run, and those of promised times last and apart', () => {
  const all = groups().flat(2)
  expect(chosen()).toHaveLength(all.length)
  const [last, ...earlier] = groups(true).toReversed()
  expect(earlier.flat(2).filter(({ isPromise }) => isPromise)).toEqual([])
  expect(last!.flat().every(({ isPromise }) => isPromise)).toBe(true)
  expect(last, 'one after another').toHaveLength(1)
})

test('a machine that is too slow for promised times still runs the tests of pages', () => {
  const pages = groups(true)
    .flat(2)
    .find(({ whenSlow }) => whenSlow)!
  expect(pages.env).toMatchObject({ PROMISED_TIMES: '1' })
  expect(pages.whenSlow!.env).not.toHaveProperty('PROMISED_TIMES')
  expect(pages.whenSlow!.command.filter((word) => word.startsWith('--grep'))).toEqual(['--grep=@promised'])
})

test('a word chooses a project of vitest, or stages by a part of their name', () => {
  const [types, web, browser, unit] = chosen('types', 'domain', 'treasury', 'web')
  expect([types, web, browser].map((stage) => stage!.name)).toEqual(['types', 'types of web', 'types of browser tests'])
  expect(unit!.command.filter((word) => word === '--project')).toHaveLength(3)
  expect(unit!.command).toEqual(expect.arrayContaining(['domain', 'treasury', 'web']))
  expect(names('contract')).toEqual(['contracts: format, build, ABI file', 'contract tests'])
  expect(names('worker'), 'the project, not the stage of its bundle').toEqual([
    'worker tests, first half',
    'worker tests, second half',
  ])
})

test('a word that matches nothing is an error, also beside one that matches', () => {
  expect(() => chosen('types', 'brwser')).toThrow(UnknownWord)
  expect(() => chosen('brwser')).toThrow(/named brwser\. There are:.*browser tests.*domain, treasury/s)
})

test('every project of vitest.config.ts belongs to a stage', () => {
  const config = readFileSync('vitest.config.ts', 'utf8')
  const projects = [...config.matchAll(/^ {6}(?:inNode|overHttp|inWorkerd)\('(\w+)'/gm)].map(([, name]) => name!)
  expect(projects.length).toBeGreaterThan(10)
  const run = groups(true)
    .flat(2)
    .flatMap((stage) => stage.projects ?? [])
  expect(new Set(run)).toEqual(new Set(projects))
})

test('--all adds what the default leaves out', () => {
  const commands = (all: boolean) =>
    groups(all)
      .flat(2)
      .map(({ command }) => command.join(' '))
  expect(commands(false).filter((command) => command.startsWith('vitest'))).toSatisfy((each: string[]) =>
    each.every((command) => command.includes('--tagsFilter=!all')),
  )
  expect(commands(true).join()).not.toContain('tagsFilter')
  expect(commands(true).join()).not.toContain('@core')
})
