import { basename } from 'node:path'
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'

/** Prints a line when a test begins and when it ends, for browserCosts.ts. */
export default class TestBoundaries implements Reporter {
  onTestBegin({ location, title }: TestCase): void {
    console.log(`begin ${basename(location.file)} ${title}`)
  }

  onTestEnd({ location, title, expectedStatus }: TestCase, { status, error }: TestResult): void {
    const failure = status === expectedStatus ? '' : ` ${status}: ${error?.message}`
    console.log(`end ${basename(location.file)} ${title}${failure.replaceAll('\n', ' ')}`)
  }
}
