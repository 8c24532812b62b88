import { fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Server } from '../../desk/types'
import { storeLanguage } from '../../i18n/language'
import { addWords } from '../../i18n/words'
import { renderAt } from '../../test/render'
import { allWords } from '../../test/words'
import { ServersScreen } from './servers-screen'

const fs: Server = {
  id: 'fs',
  transport: 'http',
  command: '',
  args: [],
  env: {},
  cwd: '',
  url: 'https://example.com/mcp',
  headers: {},
  enabled: true,
  state: 'idle',
  tools: [],
  revision: 'r1',
}
const refused = (field: string, code: string, message: string) => new DeskError({ code: 'invalid', fault: { code, params: {}, field }, message })

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.serverList = [fs]
})

describe('a server that the desk does not take', () => {
  it.each([
    ['en', 'Edit fs', 'Save', 'Address', 'An address is shown to everybody: put its secret into a header.'],
    ['ja', 'fs を編集', '保存', 'アドレス', 'アドレスは誰にでも表示されます。秘密はヘッダーに入れてください。'],
    ['zh-TW', '編輯 fs', '儲存', '網址', '網址會顯示給所有人：請把其中的機密放進標頭。'],
    ['ru', 'Изменить fs', 'Сохранить', 'Адрес', 'Адрес виден всем: уберите секрет из него в заголовок.'],
  ] as const)('is told of at its field in %s', async (language, edit, save, label, words) => {
    addWords(language, allWords[language])
    storeLanguage(language)
    desk.failures.set('saveServers', refused('servers[0].url', 'url_secret', 'desk'))
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: edit }))
    fireEvent.click(screen.getByRole('button', { name: save }))
    const error = await screen.findByText(words)
    expect(screen.getByLabelText(label).getAttribute('aria-describedby')).toContain(error.id)
  })

  it('is told of in the desk’s words where we have none, and says whose they are', async () => {
    desk.failures.set('saveServers', refused('servers[0].url', 'newer', 'of a later desk'))
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Edit fs' }))
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    const error = await screen.findByText('The desk says: of a later desk')
    expect(screen.getByLabelText('Address').getAttribute('aria-describedby')).toContain(error.id)
  })

  it('is told of above the form where it has no such field', async () => {
    desk.failures.set('saveServers', refused('servers[0].command', 'http_command', 'desk'))
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Edit fs' }))
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect((await screen.findByRole('alert')).textContent).toBe(
      'A server with an address is not started: it has no command, arguments, environment or folder.',
    )
  })

  it('keeps the words of the page for a line that the desk has not seen, whatever becomes of its field', async () => {
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Edit fs' }))
    fireEvent.change(screen.getByLabelText('Headers'), { target: { value: 'X' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Line 1 is not Name: value.')
    fireEvent.change(screen.getByLabelText('Reached by'), { target: { value: 'stdio' } })
    expect(screen.getByRole('alert').textContent).toBe('Line 1 is not Name: value.')
  })

  it('is told of when it is tried, and when another is removed', async () => {
    desk.failures.set('testServer', refused('server.headers.Host', 'header_reserved', 'desk'))
    desk.failures.set('saveServers', refused('servers[1].headers.X-A', 'masked_unknown', 'desk'))
    renderAt(desk, <ServersScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Test fs' }))
    await screen.findByText('The desk writes the header Host itself.')
    fireEvent.click(screen.getByRole('button', { name: 'Remove fs' }))
    const dialog = within(screen.getByRole('alertdialog'))
    fireEvent.click(dialog.getByRole('button', { name: 'Remove the server' }))
    await dialog.findByText('X-A is ********, but no value is kept under this name.')
  })
})
