import type { Page } from '@playwright/test'
import type { Contact } from '#schemas/contact.ts'
import type { Problem } from '#schemas/payment.ts'
import type { CreatedAgent, PolicyGroup, PolicyGroupWithAgents } from '#schemas/policy.ts'
import { audit } from './audit.ts'
import { expect, soon, testAsOwner as test } from './fixtures.ts'
import { recipient } from './seededAccount.ts'

const stranger = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** Refusals that the tests cause, whose status the browser logs. */
test.use({ tolerated: /status of (400|403|404|409|422|500)/ })

const detail = (page: Page) => page.getByTestId('group-detail')
const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))
const open = async (page: Page, group: PolicyGroup, more = '') => {
  await page.goto(`/dashboard/agents?group=${group.id}${more}`)
  await expect(detail(page).locator('#group-name')).toHaveText(group.name) // also behind a dialog
}
const act = async (page: Page, subject: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${subject}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const press = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click()
/** Adds a rule of the group in the editor. */
const addRule = async (page: Page, title: string) => {
  await press(page, 'Add a rule')
  await page.getByRole('searchbox', { name: 'Search rules' }).fill(title)
  await press(page, title)
}
const ruleField = (page: Page, name: string) => dialog(page).getByRole('textbox', { name, exact: true })
const agentRow = (page: Page, name: string) => page.getByTestId('agent-row').filter({ hasText: name })

test('the sidebar lists groups with counts and last activity, and the detail shows the policy @agents-1', {
  tag: '@core',
}, async ({ page, owner }) => {
  const group = await owner.group('Research', {
    scopes: ['contact_payments:write', 'email_payments:write'],
    whitelistedContactIds: [owner.grace.id],
  })
  const other = await owner.group('Idle')
  const { apiKey } = await owner.agent(group, 'Scout')
  const toGrace = { type: 'contact', contactId: owner.grace.id, method: 'address' } as const
  expect((await owner.pay(apiKey!, '15.5', toGrace)).status).toBe(201)

  await open(page, group)
  const entry = page.getByRole('navigation', { name: 'Policy groups' }).getByRole('link', { name: 'Research' })
  await expect(entry).toContainText('1 agent, 1 payment')
  await expect(entry).toContainText('Last activity: Today')
  await expect(entry).toHaveAttribute('aria-current', 'page')
  await expect(detail(page)).toContainText(
    'Agents may pay the contacts listed below and any email address (by payout).',
  )
  await expect(detail(page).getByRole('list', { name: 'Whitelisted contacts' })).toContainText('Grace Hopper')
  await expect(detail(page).getByRole('img', { name: '77% used' })).toBeVisible()
  await expect(detail(page)).toContainText('Running low: 77% used, $4.50 left')
  await expect(agentRow(page, 'Scout')).toContainText('1 payment, last activity today')
  await audit(page, 'agents-detail')

  await page.getByRole('link', { name: 'Idle' }).click()
  await expect(page).toHaveURL(`/dashboard/agents?group=${other.id}`)
  await expect(detail(page)).toContainText('No agents in this group yet')
  await expect(detail(page)).toContainText('Last activity: Never')

  await page.setViewportSize({ width: 390, height: 844 })
  await expect(entry).toBeHidden()
  await page.getByRole('link', { name: 'All policy groups' }).click()
  await entry.click()
  await expect(detail(page).getByRole('heading', { name: 'Research' })).toBeVisible()
})

test('the form for a new policy group validates its fields and creates the group @agents-2', { tag: '@core' }, async ({
  page,
  owner,
}) => {
  await page.goto('/dashboard/agents')
  await page.getByRole('button', { name: 'New Policy Group' }).click()
  await expect(dialog(page)).toHaveAccessibleName('Add New Policy Group')
  await expect(page.getByLabel('Policy name')).toBeFocused()
  const wallet = page.getByLabel('Wallet', { exact: true })
  await expect(wallet, 'the only wallet is preselected').toHaveValue(owner.wallet.id)
  await wallet.selectOption('')
  await press(page, 'Create Policy Group')
  await expect(page.getByRole('alert')).toHaveText([
    'Policy name is required',
    'Budget limit is required',
    'Please select a wallet',
  ])
  await page.getByLabel('Policy name').fill('  Field work ')
  await page.getByLabel('Budget limit').fill('0')
  await wallet.selectOption(owner.wallet.id)
  await press(page, 'Create Policy Group')
  await expect(page.getByRole('alert')).toHaveText('Budget limit must be greater than 0')
  await page.getByLabel('Budget limit').fill('30,5')

  await expect(dialog(page).getByText('Whitelisted contacts')).toBeHidden()
  await page.getByRole('checkbox', { name: 'Contact payments' }).check()
  await page.getByRole('checkbox', { name: 'Grace Hopper' }).check()
  await page.getByRole('checkbox', { name: 'Email payouts' }).check()
  await expect(dialog(page)).toContainText('2 contacts, 1 chosen')

  for (const rule of ['Maximum per payment', 'Allowed email domains', 'Allowed phone country codes'])
    await addRule(page, rule)
  await ruleField(page, 'Maximum per payment').fill('0')
  await ruleField(page, 'Allowed email domains').fill('bursar.test, not a domain')
  await ruleField(page, 'Allowed phone country codes').fill('+1 555')
  await press(page, 'Create Policy Group')
  await expect(page.getByRole('alert')).toHaveText([
    'Please enter a valid amount greater than 0',
    '“not” is not a valid email domain; write it as example.com',
    '“555” is not a valid country code; write it as +49',
  ])
  await audit(page, 'agents-new-group-limits')
  await ruleField(page, 'Maximum per payment').fill('5')
  await addRule(page, 'Budget per period')
  await ruleField(page, 'Budget per period').fill('10')
  await page.getByLabel('Period', { exact: true }).selectOption('week')
  await addRule(page, 'Unclaimed payouts in total')
  await ruleField(page, 'Unclaimed payouts in total').fill('8')
  await ruleField(page, 'Allowed email domains').fill('Bursar.test')
  await ruleField(page, 'Allowed phone country codes').fill('+1')
  await press(page, 'Create Policy Group')

  await expect(detail(page).getByRole('heading', { name: 'Field work' })).toBeVisible()
  await expect(detail(page)).toContainText('At most $5.00 per payment.')
  await expect(detail(page).getByTestId('period-budget')).toHaveText(
    'This week $0.00 of $10.00$10.00 left, resets Monday, 00:00 UTC',
  )
  await expect(detail(page)).toContainText('At most $8.00 in unclaimed payouts; $0.00 is unclaimed now.')
  await expect(detail(page)).toContainText('Payouts by email only to bursar.test.')
  await expect(detail(page)).toContainText('Payouts by SMS only to numbers with +1.')
  await expect(detail(page)).toContainText('$30.50')
})

test('rules are found by a search, say in a sentence what they do, and are removed one by one @agents-31', async ({
  page,
  owner,
}) => {
  await page.setViewportSize({ width: 320, height: 640 })
  const group = await owner.group('Office', { maxPayment: '5', approveNewRecipient: true })
  await open(page, group, '&editGroup')
  const card = (title: string) => dialog(page).getByRole('region', { name: title, exact: true })
  await expect(card('Maximum per payment')).toContainText('At most $5.00 per payment.')
  await expect(card('Ask me about first payments to a recipient')).toContainText('need approval')

  await press(page, 'Add a rule')
  const search = page.getByRole('searchbox', { name: 'Search rules' })
  await search.fill('midnight UTC')
  await expect(dialog(page).getByRole('button', { name: 'Budget per period' })).toBeVisible()
  await search.fill('daily')
  await expect(dialog(page).getByRole('button', { name: 'Budget per period' })).toBeVisible()
  await search.fill('week hours')
  await search.press('Enter')
  const hours = card('Hours and days of the week')
  await expect(hours.getByRole('combobox', { name: 'Time zone' })).not.toHaveValue('')
  await hours.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Atlantis')
  await press(page, 'Save Changes')
  await expect(hours.getByRole('alert')).toHaveText('Please enter a time zone such as Europe/Berlin or UTC')
  await hours.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin')
  await expect(hours).toContainText('Pays only Mon, Tue, Wed, Thu, Fri from 09:00 to 17:00 (Europe/Berlin).')
  await hours.getByLabel('Until').fill('09:00')
  await press(page, 'Save Changes')
  await expect(hours.getByRole('alert')).toHaveText('The hours must end at another time')
  await hours.getByLabel('Until').fill('17:30')
  await hours.getByRole('checkbox', { name: 'Sat' }).check()
  await hours.getByRole('combobox', { name: 'Otherwise' }).selectOption('Ask me')
  await dialog(page).getByRole('button', { name: 'Remove: Maximum per payment' }).click()
  await expect(card('Maximum per payment')).toBeHidden()
  await audit(page, 'agents-edit-rules')
  await press(page, 'Save Changes')

  await expect(dialog(page)).toBeHidden()
  await expect(detail(page)).toContainText(
    'Pays only Mon, Tue, Wed, Thu, Fri, Sat from 09:00 to 17:30 (Europe/Berlin). Others need approval.',
  )
  await expect(detail(page)).not.toContainText('per payment')
  await test.step('hosts to buy from are listed one by one, each with an amount that may stay empty @agents-33', async () => {
    const group = await owner.group('Buyers', { scopes: ['x402_payments:write'] })
    await open(page, group)
    await expect(detail(page)).toContainText('Purchases from sellers that Bursar could not verify need approval.')
    await open(page, group, '&editGroup')
    await addRule(page, 'Hosts to buy from')
    const hosts = card('Hosts to buy from')
    const host = (n: number) => hosts.getByRole('group', { name: `Host ${n}` })
    await expect(host(1).getByLabel('Host', { exact: true })).toBeFocused()
    await press(page, 'Save Changes')
    await expect(hosts.getByRole('alert')).toHaveText('Please enter a host')
    await host(1).getByLabel('Host', { exact: true }).fill('https://API.bursar.test')
    await expect(hosts.getByRole('alert')).toContainText('is not a valid host; write it as api.example.com')
    await host(1).getByLabel('Host', { exact: true }).fill('API.bursar.test')
    await host(1).getByLabel('Most per purchase (optional)').fill('0.5')
    await hosts.getByRole('button', { name: 'Add a host' }).click()
    await host(2).getByLabel('Host', { exact: true }).fill('unwanted.test')
    await hosts.getByRole('button', { name: 'Add a host' }).click()
    await host(3).getByLabel('Host', { exact: true }).fill('*.bursar.test')
    await hosts.getByRole('button', { name: 'Remove host 2' }).click()
    await expect(host(3)).toBeHidden()
    await expect(hosts).toContainText('Purchases only from api.bursar.test (at most $0.50 each) and *.bursar.test.')
    await addRule(page, 'Unverified sellers')
    await expect(card('Unverified sellers')).toContainText('No purchases from sellers that Bursar could not verify.')
    await audit(page, 'agents-edit-hosts', [320, 820, 1400])
    await press(page, 'Save Changes')

    await expect(dialog(page)).toBeHidden()
    await expect(detail(page)).toContainText(
      'Purchases only from api.bursar.test (at most $0.50 each) and *.bursar.test.',
    )
    await expect(detail(page)).toContainText('No purchases from sellers that Bursar could not verify.')
  })
})

test('before a change is saved, its owner sees what it would have done to past payments @agents-32', async ({
  page,
  owner,
}) => {
  const group = await owner.group('Preview', { scopes: ['address_payments:write'] })
  const { apiKey } = await owner.agent(group, 'Scout')
  const to = { type: 'address', address: stranger } as const
  for (const amount of ['1', '2', '3']) expect((await owner.pay(apiKey!, amount, to)).status).toBe(201)

  await open(page, group, '&editGroup')
  const preview = dialog(page).getByTestId('replay')
  await expect(preview).toBeEmpty()
  await addRule(page, 'Maximum per payment')
  await ruleField(page, 'Maximum per payment').fill('2')
  await expect(preview).toContainText('Of 3 payments in the last 30 days, 1 would have been refused.')
  await preview.getByText('Show 1 payment').click()
  await expect(preview).toContainText('$3.00 was paid, would be refused (Maximum per payment)')
  await ruleField(page, 'Maximum per payment').fill('5')
  await expect(preview).toContainText('Nothing would have been different for 3 payments in the last 30 days.')
  // Not shown yet when Save is pressed: then it is shown before the change is saved.
  const held = Promise.withResolvers<void>()
  await page.route('**/replay', async (route) => {
    await held.promise
    await route.continue()
  })
  await ruleField(page, 'Maximum per payment').fill('1.5')
  await press(page, 'Save Changes')
  held.resolve()
  await expect(dialog(page).getByRole('alert')).toHaveText(
    'Not saved yet. Of 3 payments in the last 30 days, 2 would have been refused. Save again if that is what you want.',
  )
  await audit(page, 'agents-edit-replay')
  await press(page, 'Save Changes')
  await expect(dialog(page)).toBeHidden()
  await expect(detail(page)).toContainText('At most $1.50 per payment.')

  await page.goto('/dashboard/agents?newGroup=true')
  await addRule(page, 'Number of payments')
  await ruleField(page, 'Number of payments').fill('2')
  await page.getByLabel('Try these rules on the payments of').selectOption('Preview')
  await dialog(page).getByRole('checkbox', { name: 'Address payments' }).check()
  await expect(dialog(page).getByTestId('replay')).toContainText('Of 3 payments in the last 30 days, 1 would have been')
})

test('an edit cannot change the wallet or go below what is spent, and reports each agent @agents-3', {
  tag: '@core',
}, async ({ page, owner }) => {
  const group = await owner.group('Editing')
  const { apiKey } = await owner.agent(group, 'Scout')
  await owner.agent(group, 'Second')
  expect((await owner.pay(apiKey!, '7')).status).toBe(201)
  await open(page, group)
  await detail(page).getByRole('button', { name: 'Edit', exact: true }).click()
  await expect(dialog(page)).toHaveAccessibleName('Edit Policy Group')
  await expect(page.getByLabel('Wallet', { exact: true })).toBeDisabled()
  await expect(dialog(page)).toContainText('Wallet cannot be changed after creation')
  const effect = page.getByTestId('policy-effect')
  await expect(effect).toHaveText('With this policy, agents could spend at most $13.00 USDC now.')
  await page.getByLabel('Budget limit').fill('8.5')
  await expect(effect).toHaveText('With this policy, agents could spend at most $1.50 USDC now.')
  await press(page, 'Try a payment')
  const trial = page.getByRole('dialog', { name: 'Try a payment' })
  await trial.getByLabel('Agent', { exact: true }).selectOption('Second')
  await trial.getByLabel('Address', { exact: true }).fill(recipient)
  await trial.getByLabel('Amount').fill('2')
  await trial.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(trial.getByText(/^Allowed: \$2\.00 would be paid/), 'as saved, not as typed').toBeVisible()
  await audit(page, 'agents-try-in-editor')
  await trial.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByLabel('Budget limit'), 'the typed value is kept').toHaveValue('8.5')
  await page.getByLabel('Policy name').fill('')
  await page.getByLabel('Budget limit').fill('6.99')
  await press(page, 'Save Changes')
  await expect(page.getByRole('alert')).toHaveText([
    'Policy name is required',
    'Budget limit must be at least $7.00, which is already spent or held',
  ])
  await audit(page, 'agents-edit-group')
  await page.getByLabel('Policy name').fill('Edited')
  await page.getByLabel('Budget limit').fill('7')
  await page.getByRole('checkbox', { name: 'SMS payouts' }).check()
  await press(page, 'Save Changes')
  await expect(dialog(page)).toHaveAccessibleName('Policy group updated')
  await expect(dialog(page).getByRole('listitem')).toHaveText([/^Scout.*Updated/, /^Second.*Updated/])
  await audit(page, 'agents-scope-results')
  await press(page, 'Done')
  await expect(dialog(page)).toBeHidden()
  await expect(detail(page)).toContainText('Agents may pay any address and any phone number (by payout).')
  await expect(detail(page)).toContainText('Used up: 100% used, $0.00 left')
})

test('the second of two concurrent edits is refused and keeps its input @agents-4', async ({ page, owner }) => {
  const group = await owner.group('Shared')
  const { apiKey } = await owner.agent(group, 'Doomed')
  await open(page, group, '&editGroup=true')
  await page.getByLabel('Policy name').fill('Mine')
  await page.getByRole('checkbox', { name: 'Email payouts' }).check()
  await owner.api(
    `/policy-groups/${group.id}`,
    { name: 'Theirs', scopes: group.scopes, spendLimit: '33', version: group.version },
    'PUT',
  )
  await press(page, 'Save Changes')
  await expect(page.getByRole('alert')).toHaveText(
    'This policy group was changed while you edited it: name (your value is kept), budget limit. Nothing you typed is lost. Check it and save again.',
  )
  await expect(page.getByLabel('Policy name')).toHaveValue('Mine')
  await expect(page.getByLabel('Budget limit')).toHaveValue('33')
  await expect(page.getByRole('checkbox', { name: 'Email payouts' })).toBeChecked()
  await audit(page, 'agents-two-editors')
  await press(page, 'Save Changes')
  await press(page, 'Done')
  await expect(detail(page).getByRole('heading', { name: 'Mine' })).toBeVisible()
  await expect(detail(page)).toContainText('$33.00')
  await test.step('deleting a group also deletes its agents @agents-6', async () => {
    await act(page, 'Mine', 'Delete')
    await expect(dialog(page)).toHaveAccessibleName('Delete Policy Group')
    await expect(dialog(page)).toContainText('Mine and its 1 agent will be deleted:')
    await expect(dialog(page).getByRole('listitem')).toHaveText('Doomed')
    await audit(page, 'agents-delete-group')
    await press(page, 'Cancel')
    expect((await owner.context(apiKey!)).status).toBe(200)
    await act(page, 'Mine', 'Delete')
    await press(page, 'Delete Policy Group')
    await expect(dialog(page)).toBeHidden()
    await expect(page).toHaveURL('/dashboard/agents')
    await expect(page.getByRole('link', { name: 'Mine' })).toBeHidden()
    expect((await owner.context(apiKey!)).status).toBe(401)
  })
})

test('tops up a budget by at least a cent @agents-5', { tag: '@core' }, async ({ page, owner }) => {
  const group = await owner.group('Topping up')
  await open(page, group)
  await detail(page).getByRole('button', { name: 'Top Up', exact: true }).click()
  await expect(dialog(page)).toHaveAccessibleName('Top Up Budget')
  for (const wrong of ['', '0', '-1'])
    await test.step(`"${wrong}" is refused`, async () => {
      await page.getByLabel('Amount').fill(wrong)
      await dialog(page)
        .getByRole('button', { name: /^Top Up/ })
        .click()
      await expect(
        page.getByRole('alert').filter({ hasText: 'Please enter a valid amount greater than 0' }),
      ).toBeVisible()
    })
  await page.getByLabel('Amount').fill('0.005')
  await page.getByLabel('Amount').blur()
  await expect(dialog(page)).toContainText('Enter digits with at most 2 decimals') // steps of 0.01
  await audit(page, 'agents-top-up')
  await page.getByLabel('Amount').fill('5.5')
  await expect(dialog(page)).toContainText('The limit is $20.00 now, and $25.50 afterwards.')
  await press(page, 'Top Up 5.50 USDC')
  await expect(dialog(page)).toContainText('The limit of Topping up is now $25.50 USDC.')
  await expect(dialog(page)).toBeHidden()
  await expect(detail(page)).toContainText('$25.50')
})

test('an agent’s credentials are shown once, copied and downloaded @agents-7', { tag: '@core' }, async ({
  page,
  owner,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const group = await owner.group('Credentials')
  await open(page, group)
  await detail(page).getByRole('button', { name: 'Add Agent' }).click()
  await expect(dialog(page)).toHaveAccessibleName('Add New Agent')
  await expect(page.getByLabel('Policy group', { exact: true })).toHaveValue(group.id)
  await page.getByLabel('Policy group', { exact: true }).selectOption('')
  await press(page, 'Create Agent')
  await expect(page.getByRole('alert')).toHaveText(['Name is required', 'Please select a policy group'])
  await audit(page, 'agents-new-agent-errors')
  await page.getByLabel('Name', { exact: true }).fill('Scout')
  await page.getByLabel('Policy group', { exact: true }).selectOption(group.id)
  await press(page, 'Create Agent')
  await expect(dialog(page)).toHaveAccessibleName('Scout’s credentials')
  const apiKey = (await page.getByTestId('api-key').textContent())!
  const secret = (await page.getByTestId('client-secret').textContent())!
  await page.getByRole('button', { name: 'Copy API key' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(apiKey)
  await expect(page.getByRole('button', { name: 'Copy API key' })).toBeVisible() // after 2 s
  const download = page.waitForEvent('download')
  await press(page, 'Download as JSON')
  expect((await download).suggestedFilename()).toBe('bursar-scout.json')
  await page.keyboard.press('Escape')
  await expect(page.getByTestId('api-key')).toBeVisible()
  await press(page, 'I have stored them')
  await expect(agentRow(page, 'Scout')).toContainText('Active')
  await page.reload()
  await expect(agentRow(page, 'Scout')).toBeVisible()
  expect(await page.content()).not.toContain(secret)
  expect((await owner.context(apiKey)).status).toBe(200)
})

test('renames an agent, regenerates its secrets and deletes it @agents-8', { tag: '@core' }, async ({
  page,
  owner,
}) => {
  const group = await owner.group('Rotation')
  const { apiKey: first, clientId, clientSecret } = await owner.agent(group, 'Rotor')
  await open(page, group)
  await act(page, 'Rotor', 'Edit')
  await page.getByLabel('Name', { exact: true }).fill('')
  await press(page, 'Save Changes')
  await expect(page.getByRole('alert')).toHaveText('Name is required')
  await page.getByLabel('Name', { exact: true }).fill('Rotor II')
  await press(page, 'Save Changes')
  await expect(agentRow(page, 'Rotor II')).toBeVisible()

  await act(page, 'Rotor II', 'Regenerate API key')
  await expect(dialog(page)).toHaveAccessibleName('Regenerate API Key')
  await expect(page.getByRole('radio', { name: /^Keeps working for 24 hours/ })).toBeChecked()
  await audit(page, 'agents-regenerate')
  await press(page, 'Regenerate')
  await expect(dialog(page)).toContainText('The previous API key keeps working for 24 hours.')
  await expect(page.getByTestId('client-secret')).toBeHidden()
  const second = (await page.getByTestId('api-key').textContent())!
  expect(second).not.toBe(first)
  await press(page, 'I have stored them')
  expect((await owner.context(first!)).status).toBe(200)
  expect((await owner.context(second)).status).toBe(200)

  await act(page, 'Rotor II', 'Regenerate API key')
  await page.getByRole('radio', { name: /^Revoke now/ }).check()
  await press(page, 'Regenerate')
  await expect(dialog(page)).toContainText('The previous API key no longer works.')
  const third = (await page.getByTestId('api-key').textContent())!
  await press(page, 'I have stored them')
  expect((await owner.context(second)).status).toBe(401)
  expect((await owner.context(third)).status).toBe(200)

  await act(page, 'Rotor II', 'Regenerate credentials')
  await expect(dialog(page)).toHaveAccessibleName('Regenerate Credentials')
  await press(page, 'Regenerate')
  await expect(page.getByTestId('client-id')).toHaveText(clientId)
  await expect(page.getByTestId('client-secret')).not.toHaveText(clientSecret!)
  await expect(page.getByTestId('api-key')).toBeHidden()
  await audit(page, 'agents-regenerated')
  await press(page, 'I have stored them')

  await act(page, 'Rotor II', 'Delete')
  await expect(dialog(page)).toContainText('The credentials of Rotor II stop working immediately.')
  await press(page, 'Delete Agent')
  await expect(detail(page)).toContainText('No agents in this group yet')
  expect((await owner.context(third)).status).toBe(401)
})

test('pauses and resumes an agent, a group, a wallet and the account @agents-9', { tag: '@core' }, async ({
  page,
  owner,
}) => {
  const group = await owner.group('Pausing')
  const { apiKey } = await owner.agent(group, 'Sleeper')
  const rule = async () => {
    const { status, body } = await owner.pay<Problem>(apiKey!, '0.01')
    return status === 201 ? 'paid' : body.rule
  }
  await open(page, group)

  await act(page, 'Sleeper', 'Pause')
  await expect(dialog(page)).toContainText('Queued payments that are not signed yet fail')
  await audit(page, 'agents-pause')
  await press(page, 'Pause')
  await expect(agentRow(page, 'Sleeper')).toContainText('Paused')
  expect(await rule()).toBe('agent.paused')
  await act(page, 'Sleeper', 'Resume')
  await expect(agentRow(page, 'Sleeper')).toContainText('Active')
  expect(await rule()).toBe('paid')

  await act(page, 'Pausing', 'Pause')
  await press(page, 'Pause')
  await expect(page.getByText('This group is paused: calls by its agents are refused.')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Policy groups' })).toContainText('Paused')
  await expect(agentRow(page, 'Sleeper')).toContainText('Group paused')
  expect(await rule()).toBe('group.paused')
  await audit(page, 'agents-group-paused')
  await detail(page).getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText('This group is paused')).toBeHidden()

  // The form's list of wallets is loaded before the pause, and must not be shown as it was.
  await page.getByRole('button', { name: 'New Policy Group' }).click()
  await expect(dialog(page).getByRole('option').nth(1)).toBeEnabled()
  await page.keyboard.press('Escape')
  await detail(page).getByRole('button', { name: 'Pause wallet' }).click()
  await expect(dialog(page)).toContainText('neither your agents’ nor yours')
  await press(page, 'Pause')
  await expect(page.getByText('This wallet is paused: nothing is paid from it.')).toBeVisible()
  await expect(agentRow(page, 'Sleeper')).toContainText('Wallet paused')
  expect(await rule()).toBe('wallet.paused')
  await page.getByRole('button', { name: 'New Policy Group' }).click()
  await expect(dialog(page)).toContainText(/No wallet can pay now: .+ is paused\./)
  await expect(dialog(page).getByRole('option', { name: '(paused)' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await detail(page).getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText('This wallet is paused')).toBeHidden()

  await page.getByRole('button', { name: 'Pause All Agents' }).click()
  await press(page, 'Pause')
  await expect(page.getByText('All agents of this account are paused')).toBeVisible()
  await expect(agentRow(page, 'Sleeper')).toContainText('Account paused')
  expect(await rule()).toBe('account.paused')
  await page.getByRole('main').getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText('All agents of this account are paused')).toBeHidden()
  expect(await rule()).toBe('paid')
})

test('payments to a changed contact are refused until the owner confirms the change @agents-10', {
  tag: '@core',
}, async ({ page, owner }) => {
  const ada = await owner.api<Contact>('/contacts', { name: 'Ada Byron', address: recipient })
  const scopes = ['contact_payments:write']
  const group = await owner.group('Changing', { scopes, whitelistedContactIds: [ada.id] })
  const { apiKey } = await owner.agent(group, 'Clerk')
  await owner.api(`/contacts/${ada.id}`, { name: 'Ada Byron', address: stranger }, 'PUT')
  const to = { type: 'contact', contactId: ada.id } as const
  expect((await owner.pay<Problem>(apiKey!, '0.01', to)).body.code).toBe('contact_changed')
  await open(page, group)
  await expect(detail(page)).toContainText('Changed')
  await detail(page).getByRole('button', { name: 'Review' }).click()
  await expect(dialog(page)).toHaveAccessibleName('Ada Byron changed')
  await expect(dialog(page).getByTestId('full-address')).toContainText([recipient, stranger])
  await audit(page, 'agents-confirm-contact')
  await press(page, 'Confirm contact')
  await expect(dialog(page)).toBeHidden() // an open dialog hides everything else from queries by role
  await expect(detail(page).getByRole('button', { name: 'Review' })).toBeHidden()
  expect((await owner.pay(apiKey!, '0.01', to)).status).toBe(201)

  await test.step('a refusal names a contact that the group does not list, and offers to whitelist it @agents-35', async () => {
    const toGrace = { type: 'contact', contactId: owner.grace.id } as const
    expect((await owner.pay<Problem>(apiKey!, '0.03', toGrace)).status).toBe(403)
    await agentRow(page, 'Clerk')
      .getByRole('button', { name: /^Clerk/ })
      .click()
    const refused = agentRow(page, 'Clerk').getByTestId('activity').getByRole('listitem').filter({ hasText: '$0.03' })
    await expect(refused).toContainText(`to ${owner.grace.name}`)
    await refused.getByRole('link', { name: `Whitelist ${owner.grace.name}` }).click()
    await audit(page, 'agents-whitelist')
    await press(page, `Whitelist ${owner.grace.name}`)
    await expect(refused.getByRole('status')).toContainText(`Changing may pay ${owner.grace.name} now.`)
    expect((await owner.pay(apiKey!, '0.03', toGrace)).status).toBe(201)
  })
})

test('an expanded agent shows how to connect, tries payments and lists refusals with their rules @agents-11', {
  tag: '@core',
}, async ({ page, owner }) => {
  const group = await owner.group('Tools', { spendLimit: 10, maxPayment: '4' })
  const { apiKey, clientId } = await owner.agent(group, 'Tester')
  await owner.pay(apiKey!, '11')
  await open(page, group)
  const row = agentRow(page, 'Tester')
  await expect(row.getByTestId('may-do')).toHaveText('May pay any address: at most $10.00 now, $4.00 at a time.')
  await row.getByRole('button', { name: 'Try a payment by Tester' }).click()
  await expect(dialog(page)).toHaveAccessibleName('Try a payment')
  await page.keyboard.press('Escape')
  await row.getByRole('button', { name: /^Tester/ }).click()
  const panel = (name: string) => row.getByRole('tabpanel', { name, exact: true })
  await expect(panel('curl')).toContainText('Authorization: Bearer $BURSAR_API_KEY')
  await row.getByRole('tab', { name: 'curl (OAuth)' }).click()
  await expect(panel('curl (OAuth)')).toContainText(`-u "${clientId}:$BURSAR_CLIENT_SECRET"`)
  await row.getByRole('tab', { name: 'TypeScript' }).click()
  await expect(panel('TypeScript')).toContainText("import { Bursar } from '@bursar/sdk'")
  await row.getByRole('tab', { name: 'MCP', exact: true }).click()
  await expect(panel('MCP')).toContainText('/mcp"')
  await row.getByRole('tab', { name: 'MCP (OAuth)' }).click()
  await expect(panel('MCP (OAuth)')).toContainText(`clientId: '${clientId}'`)

  const refused = row.getByTestId('activity').getByRole('listitem')
  await expect(refused).toContainText(/^Refused \$11\.00 USDC to /)
  await expect(refused).toContainText('One payment may be at most 4.00 USDC.')
  await row.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(row.getByRole('alert')).toHaveText(['Please enter a recipient address', 'Please enter an amount'])
  await row.getByLabel('Address', { exact: true }).fill(recipient)
  await row.getByLabel('Amount').fill('4')
  await row.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(row.getByText(/^Allowed: \$4\.00 would be paid/)).toBeVisible()
  await row.getByLabel('Amount').fill('5')
  await row.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(row).toContainText('Refused: One payment may be at most 4.00 USDC.')
  await expect(row.getByRole('status').filter({ hasText: 'Refused' }), 'in words for the owner').toContainText(
    'Send less, or raise the limit.',
  )
  await expect(row).toContainText('The maximum for this recipient is now $4.00.')
  await audit(page, 'agents-tools')
  await row.getByRole('status').getByRole('link', { name: 'Maximum per payment' }).click()
  await expect(page).toHaveURL(/#policy-limits$/)
  await expect(detail(page).getByText('At most $4.00 per payment.')).toBeInViewport()

  await row.getByLabel('Pay by').selectOption('contact')
  await row.getByRole('combobox', { name: 'Contact' }).fill('GRACE@') // by part of its email
  await page.getByRole('option', { name: owner.grace.name }).click()
  await row.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(row).toContainText('This recipient can’t be paid anything now.')
  await row.getByRole('status').getByRole('link', { name: 'Permissions' }).click()
  await expect(page).toHaveURL(/#policy-permissions$/)
  await refused.getByRole('link', { name: /^Refused \$11\.00/ }).click()
  await expect(dialog(page).getByRole('alert')).toContainText('One payment may be at most 4.00 USDC.')
})

test('a payment that appears in the activity is also in the counts and the budget @agents-34', {
  tag: '@promised',
}, async ({ page, owner }) => {
  const group = await owner.group('Counting')
  const { apiKey } = await owner.agent(group, 'Payer')
  await open(page, group)
  const row = agentRow(page, 'Payer')
  await row.getByRole('button', { name: /^Payer/ }).click()
  await expect(row).toContainText('Waiting for the first payment')
  await owner.pay(apiKey!, '2')
  await expect(row.getByTestId('activity')).toContainText('$2.00')
  await expect(row).toContainText('1 payment', soon)
  await expect(detail(page)).toContainText('$18.00 left', soon)
})

test('the agents page works by keyboard alone @agents-12', async ({ page, owner }) => {
  await page.goto('/dashboard/agents')
  await page.getByRole('button', { name: 'New Policy Group' }).press('Enter')
  await expect(page.getByLabel('Policy name')).toBeFocused()
  await expect(page.getByLabel('Wallet').getByRole('option')).toHaveCount(2)
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Tab')
  await page.keyboard.type('12')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space') // address payments
  await page.keyboard.press('Enter')
  await expect(detail(page).getByRole('heading', { name: 'By keyboard' })).toBeVisible()
  await expect(detail(page)).toContainText('Agents may pay any address.')

  await detail(page).getByRole('button', { name: 'Add Agent' }).press('Enter')
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
  await page.keyboard.type('Typist')
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toHaveAccessibleName('Typist’s credentials')
  await dialog(page).getByRole('button', { name: 'I have stored them' }).press('Enter')

  const menu = page.getByRole('button', { name: 'Actions for Typist' })
  await menu.press('Enter')
  await page.keyboard.type('Pau')
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toHaveAccessibleName('Pause Typist')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()

  const expander = agentRow(page, 'Typist').getByRole('button', { name: /^Typist/ })
  await expect(expander, 'a new agent is expanded').toHaveAttribute('aria-expanded', 'true')
  await expander.press('Enter')
  await expect(expander).toHaveAttribute('aria-expanded', 'false')
  await expander.press('Enter')
  const tab = agentRow(page, 'Typist').getByRole('tab', { name: 'curl', exact: true })
  await tab.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(agentRow(page, 'Typist').getByRole('tab', { name: 'curl (OAuth)' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.getByRole('button', { name: 'Actions for By keyboard' }).press('Enter')
  await page.keyboard.type('Del')
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toHaveAccessibleName('Delete Policy Group')
  await dialog(page).getByRole('button', { name: 'Delete Policy Group' }).press('Enter')
  await expect(dialog(page)).toBeHidden()
  await expect(page.getByRole('link', { name: 'By keyboard' })).toBeHidden()
  void owner
})

/** Changes one group in the server's replies. */
async function changed(page: Page, groupId: string, change: (group: PolicyGroup) => void): Promise<void> {
  await page.route(/\/with-agents$/, async (route) => {
    const reply = await route.fetch()
    const body = (await reply.json()) as { data: PolicyGroupWithAgents[] }
    const found = body.data.find(({ policyGroup }) => policyGroup.id === groupId)
    if (found) change(found.policyGroup)
    await route.fulfill({ response: reply, json: body })
  })
}

test('ten thousand contacts can be searched, and only some are listed @agents-14', async ({ page, owner }) => {
  const group = await owner.group('Everybody', { scopes: ['contact_payments:write'] })
  const about = { address: null, email: 'x@bursar.test', phone: null }
  const many = Array.from({ length: 10_000 }, (_, i) => ({ id: `con_${i}`, name: `Contact ${i}`, ...about }))
  await page.route(/\/api\/contacts/, (route) => {
    const search = new URL(route.request().url()).searchParams.get('search') ?? ''
    const found = many.filter(({ name }) => name.includes(search))
    const info = { number: 1, size: 100, total: found.length }
    return route.fulfill({ json: { success: true, data: found.slice(0, 100), page: info } })
  })
  await changed(page, group.id, (each) => {
    each.whitelistedCount = many.length
    each.whitelistedContacts = [many[9_999]!, ...many.slice(0, 19)].map((contact, i) => ({
      contact,
      stale: i === 0,
      current: i === 0 ? { ...about, email: 'y@bursar.test' } : null,
    }))
  })
  await page.route(`**/api/policy-groups/${group.id}/whitelist`, (route) =>
    route.fulfill({ json: { success: true, data: { contactIds: many.map(({ id }) => id) } } }),
  )
  await open(page, group)
  const list = detail(page).getByRole('list', { name: 'Whitelisted contacts' })
  await expect(list.getByRole('listitem').first()).toContainText('Contact 9999')
  await expect(list.getByRole('listitem').first()).toContainText('Changed')
  await expect(list).toContainText('and 9,980 more')
  await detail(page).getByRole('button', { name: 'Edit', exact: true }).click()
  await expect(dialog(page)).toContainText('10,000 contacts, 10,000 chosen; the first 100 are shown')
  await page.getByLabel('Search contacts').fill('Contact 999')
  await expect(dialog(page).getByRole('checkbox', { name: /^Contact 999/ })).toHaveCount(11)
  await page.getByRole('checkbox', { name: 'Contact 9990' }).uncheck()
  await expect(dialog(page)).toContainText('10,000 contacts, 9,999 chosen')
  await page.getByLabel('Search contacts').fill('nobody')
  await expect(dialog(page)).toContainText('No contact matches.')
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await press(page, 'Save Changes')
  const body = (await sent).postDataJSON() as { whitelistedContactIds: string[] }
  expect(body.whitelistedContactIds).toHaveLength(9_999)
  await page.unrouteAll({ behavior: 'wait' })
})

test('explains what to do about a wallet that cannot pay and secrets that were already shown @agents-15', async ({
  page,
  owner,
}) => {
  const group = await owner.group('Odd', { scopes: [] })
  await owner.agent(group, 'Reader')
  await changed(page, group.id, (each) => {
    each.wallet = { name: 'Old', address: recipient, chain: 'base-sepolia', paused: false, canPay: false }
    Object.assign(each, { spendLimit: null, spendLimitUsdc: null, remaining: null })
    each.formerAgents = { count: 2, spent: '3', held: '0' }
  })
  await open(page, group)
  await expect(detail(page)).toContainText('This wallet cannot pay now. See its session key under Wallets.')
  await expect(detail(page)).toContainText('No budget limit.')
  await expect(detail(page).getByRole('button', { name: 'Top Up' })).toBeHidden()
  await expect(detail(page)).toContainText('2 deleted agents$3.00 Test USDC spent')
  const reader = agentRow(page, 'Reader')
  await reader.getByRole('button', { name: /^Reader/ }).click()
  await expect(reader.getByRole('alert')).toContainText('Odd allows no payments yet')
  await audit(page, 'agents-odd')
  await reader.getByRole('button', { name: /^Reader/ }).click()

  await page.route(/\/api\/agents$/, async (route) => {
    const reply = await route.fetch()
    const body = (await reply.json()) as { data: CreatedAgent }
    Object.assign(body.data, { clientSecret: null, apiKey: null, shownOnce: true })
    await route.fulfill({ response: reply, json: body })
  })
  await detail(page).getByRole('button', { name: 'Add Agent' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Twice')
  await press(page, 'Create Agent')
  await expect(dialog(page)).toContainText('its secrets were shown before and cannot be shown again')
  await expect(dialog(page).getByRole('alert')).toContainText('Regenerate them in the agent’s menu')
  await dialog(page).getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(agentRow(page, 'Twice')).toBeVisible()

  await test.step('a suspended account shows who suspended it and what is still possible @agents-18', async () => {
    await page.route('**/api/account', (route) =>
      route.fulfill({ json: { success: true, data: { paused: false, suspended: true } } }),
    )
    await open(page, group)
    await expect(page.getByRole('status').filter({ hasText: 'The operator has suspended this account.' })).toHaveText(
      'The operator has suspended this account. All calls by agents are refused; you can still reclaim payouts and withdraw.',
    )
    await audit(page, 'agents-suspended')
  })
  await page.unrouteAll({ behavior: 'wait' })
})
