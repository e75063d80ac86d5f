import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { type Toast, toast } from 'react-hot-toast/headless'
import { beforeEach, expect, test, vi } from 'vitest'
import { Toasts } from '#web/components/Toaster.tsx'

/** The toasts that the app shows, with their durations. */
let shown: Toast[]
vi.mock(import('react-hot-toast/headless'), async (original) => {
  const library = await original()
  const useToaster: typeof library.useToaster = (...options) => {
    const toaster = library.useToaster(...options)
    shown = toaster.toasts
    return toaster
  }
  return { ...library, useToaster }
})
const show = () => renderToString(createElement(Toasts))

beforeEach(() => toast.remove())

test('blank, error and custom toasts last four seconds, success two, loading until dismissed @toasts-1', () => {
  toast('blank')
  toast.error('error')
  toast.custom('custom')
  toast.success('success')
  toast.loading('loading')
  show()
  expect(Object.fromEntries(shown.map(({ type, duration }) => [type, duration]))).toEqual({
    blank: 4_000,
    error: 4_000,
    custom: 4_000,
    success: 2_000,
    loading: Number.POSITIVE_INFINITY,
  })
})

test('at most twenty toasts are held, newest first @toasts-2', () => {
  for (let i = 1; i <= 25; i++) toast(`message ${i}`)
  show()
  expect(shown).toHaveLength(20)
  expect(shown[0]?.message).toBe('message 25')
})
