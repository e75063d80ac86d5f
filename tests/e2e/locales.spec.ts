/**
 * Amounts and phone numbers as people of twenty countries type and paste them into the form that sends. 46 CPU seconds:
 * part of `npm run test:long screens`.
 */
import type { Locator } from '@playwright/test'
import { expect, testAsPayer as test } from './fixtures.ts'

/** What the form says it read, or its refusal, which names both amounts. */
const is = (amount: string) => `= ${amount} USDC`
const either = (text: string, ...amounts: [string, string]) =>
  `“${text}” could mean ${amounts.join(' or ')}. Enter one of these.`

type Row = {
  /** As typed there, and what the form shows below it. */
  amount: [text: string, shown: string]
  /** A whole number with that locale's separator of thousands. */
  whole: [text: string, shown: string]
  /** Of the same phone: typed and pasted, then without the country, which nobody can know. */
  phones: [typed: string, pasted: string, national: string]
  e164: string
}

// Written by hand, without our readers and without the browser's: keyboards type plain spaces where Intl writes others.
const rows: Record<string, Row> = {
  'en-US': {
    amount: ['$12,345.67', is('12,345.67')],
    whole: ['1,500', either('1,500', '1500', '1.5')],
    phones: ['+1 (415) 555-0123', '+1.415.555.0123', '(415) 555-0123'],
    e164: '+14155550123',
  },
  'en-GB': {
    amount: ['2,345.60', is('2,345.60')],
    whole: ['2,000,000', is('2,000,000.00')],
    phones: ['+44 (0)7400 123456', '0044 7400 123456', '07400 123456'],
    e164: '+447400123456',
  },
  'en-IN': {
    amount: ['12,34,567.89', is('1,234,567.89')],
    whole: ['1,50,000', is('150,000.00')],
    phones: ['+91 98765 43210', '0091-98765-43210', '098765 43210'],
    e164: '+919876543210',
  },
  'de-DE': {
    amount: ['3.456,78', is('3,456.78')],
    whole: ['1.500', either('1.500', '1500', '1.5')],
    phones: ['+49 (0)151 23456789', '0049 151 23456789', '0151 23456789'],
    e164: '+4915123456789',
  },
  'de-CH': {
    amount: ["4'567.80", is('4,567.80')],
    whole: ['12’500', is('12,500.00')],
    phones: ['+41 78 123 45 67', '0041 (0)78 123 45 67', '078 123 45 67'],
    e164: '+41781234567',
  },
  'fr-FR': {
    amount: ['5 678,90', is('5,678.90')],
    whole: ['13 500', is('13,500.00')],
    phones: ['+33 6 12 34 56 78', '+33\u00a0(0)6\u00a012\u00a034\u00a056\u00a078', '06 12 34 56 78'],
    e164: '+33612345678',
  },
  'es-ES': {
    amount: ['1234,56', is('1,234.56')],
    whole: ['1.234.567', is('1,234,567.00')],
    phones: ['+34 612 34 56 78', '0034 612 345 678', '612 34 56 78'],
    e164: '+34612345678',
  },
  'it-IT': {
    amount: ['6.789,01', is('6,789.01')],
    whole: ['14.500', either('14.500', '14500', '14.5')],
    phones: ['+39 312 345 6789', '0039 312.345.6789', '312 345 6789'],
    e164: '+393123456789',
  },
  'pt-BR': {
    amount: ['R$ 7.890,12', '“R$” is another currency. Enter digits with at most 6 decimals, for example 1234.50'],
    whole: ['2.345.678', is('2,345,678.00')],
    phones: ['+55 (11) 96123-4567', '+55\u201111\u201196123\u20114567', '(11) 96123-4567'],
    e164: '+5511961234567',
  },
  'pl-PL': {
    amount: ['8 901,23', is('8,901.23')],
    whole: ['15 500', is('15,500.00')],
    phones: ['+48 512 345 678', '0048 512-345-678', '512 345 678'],
    e164: '+48512345678',
  },
  'sv-SE': {
    amount: ['9 012,34', is('9,012.34')],
    whole: ['16 500', is('16,500.00')],
    phones: ['+46 (0)70-123 45 67', '+46 70\u2013123\u00a045\u00a067', '070-123 45 67'],
    e164: '+46701234567',
  },
  'ru-RU': {
    amount: ['1 023,45', is('1,023.45')],
    whole: ['17 500', is('17,500.00')],
    phones: ['+7 (912) 345-67-89', '+7 (8) 912 345-67-89', '8 912 345-67-89'],
    e164: '+79123456789',
  },
  'tr-TR': {
    amount: ['1.134,56', is('1,134.56')],
    whole: ['18.500', either('18.500', '18500', '18.5')],
    phones: ['+90 (0) 501 234 56 78', '0090 501 234 56 78', '0501 234 56 78'],
    e164: '+905012345678',
  },
  'hu-HU': {
    amount: ['1245,6', is('1,245.60')],
    whole: ['19 500', is('19,500.00')],
    phones: ['+36 20 123 4567', '+36 (06) 20 123 4567', '06 20 123 4567'],
    e164: '+36201234567',
  },
  'ja-JP': {
    amount: ['１，３５６．７', is('1,356.70')],
    whole: ['３，５００，０００', is('3,500,000.00')],
    phones: ['＋８１ ９０ １２３４ ５６７８', '+81 (0)90-1234-5678', '０９０-１２３４-５６７８'],
    e164: '+819012345678',
  },
  'ar-EG': {
    amount: ['١٬٤٦٧٫٨', is('1,467.80')],
    whole: ['٢٠٬٥٠٠', is('20,500.00')],
    phones: ['+٢٠ ١٠٠ ١٢٣ ٤٥٦٧', '٠٠٢٠ ١٠٠ ١٢٣ ٤٥٦٧', '٠١٠٠ ١٢٣ ٤٥٦٧'],
    e164: '+201001234567',
  },
  'fa-IR': {
    amount: ['۱٬۵۷۸٫۹', is('1,578.90')],
    whole: ['۲۱٬۵۰۰', is('21,500.00')],
    phones: ['+۹۸ ۹۱۲ ۳۴۵ ۶۷۸۹', '\u200e۰۰۹۸ ۹۱۲ ۳۴۵ ۶۷۸۹', '۰۹۱۲ ۳۴۵ ۶۷۸۹'],
    e164: '+989123456789',
  },
  'hi-IN': {
    amount: ['१,६८९.०१', is('1,689.01')],
    whole: ['१,५०,०००', is('150,000.00')],
    phones: ['+९१ ८१२३४ ५६७८९', '००९१ ८१२३४ ५६७८९', '०८१२३४ ५६७८९'],
    e164: '+918123456789',
  },
  'bn-BD': {
    amount: ['১,৭৯০.১২', is('1,790.12')],
    whole: ['২২,৫০০', either('২২,৫০০', '22500', '22.5')],
    phones: ['+৮৮০ ১৮১২-৩৪৫৬৭৮', '+880 (0)1812-345678', '০১৮১২-৩৪৫৬৭৮'],
    e164: '+8801812345678',
  },
  'th-TH': {
    amount: ['๑,๘๐๑.๒๓', is('1,801.23')],
    whole: ['๔,๕๐๐,๐๐๐', is('4,500,000.00')],
    phones: ['+๖๖ ๘๑ ๒๓๔ ๕๖๗๘', '+66 (0)81-234-5678', '๐๘๑ ๒๓๔ ๕๖๗๘'],
    e164: '+66812345678',
  },
}

test('typed key by key and pasted, amounts and phones of twenty locales are read as meant or refused @send-40', async ({
  page,
  own,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`/dashboard/wallets?send=${own.wallet.id}`)
  await page.getByRole('tab', { name: 'Phone' }).click()
  const amount = page.getByLabel('Amount', { exact: true })
  const phone = page.getByLabel('Recipient phone', { exact: true })
  const shownAmount = page.getByRole('status').filter({ hasText: /^=|could mean|at most 6 decimals/ })
  const review = page.getByRole('button', { name: 'Review', exact: true })

  const typed = async (field: Locator, text: string) => {
    await field.fill('')
    await field.pressSequentially(text)
  }
  const pasted = async (field: Locator, text: string) => {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
    await field.fill('')
    await field.press('ControlOrMeta+v')
  }

  for (const [locale, row] of Object.entries(rows))
    for (const enter of [typed, pasted])
      for (const [text, shown] of [row.amount, row.whole]) {
        await enter(amount, text)
        await amount.blur()
        await expect(shownAmount, `${locale}: ${text}`).toHaveText(shown)
        await expect(amount).toHaveValue(text)
      }

  await amount.fill('1')
  for (const [locale, { phones, e164 }] of Object.entries(rows)) {
    const [first, second, national] = phones
    await pasted(phone, national)
    await review.click()
    await expect(page.getByRole('alert'), `${locale}: ${national}`).toHaveText(/^Phone number must be in international/)
    for (const [enter, text] of [
      [typed, first],
      [pasted, second],
    ] as const) {
      await enter(phone, text)
      await review.click()
      await expect(page.getByText(e164, { exact: true }), `${locale}: ${text}`).toBeVisible()
      await page.getByRole('button', { name: 'Back', exact: true }).click()
      await expect(phone).toHaveValue(text)
    }
  }
})
