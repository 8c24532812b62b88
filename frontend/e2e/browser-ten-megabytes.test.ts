import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { askHuge, inputs, roomy } from './harness/ten-megabytes'

const browser = aBrowser()

test('ten megabytes of escapes and letters beyond ASCII: all of it is counted, and its end is shown', async () => {
  const setting = await roomy()
  const page = await openDeskPage(browser(), setting.desk)
  const input = inputs.at(-1)?.[1]() ?? ''
  await askHuge(setting, page, input)
  const box = page.getByRole('alertdialog')
  await box.getByText(/hidden characters?, marked below/).waitFor({ timeout: 30_000 })
  const text = await box.innerText()
  expect(text).toContain('; rm -rf ~⟦U+200B⟧')
  expect(text).toContain(`${input.length.toLocaleString('en-US')} characters`)
})
