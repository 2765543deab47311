// The files of commands: written completely or not at all, even by two commands at once, and readable error messages.
import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { openToWrite } from '../../src/cli/command/draft.ts'
import { fileError } from '../../src/cli/command/file-error.ts'
import { openTerminal } from '../../src/cli/command/terminal.ts'
import { temporaryFolder } from '../support/process/gateway-process.ts'

/** A name in a new folder. */
const nameIn = async () => path.join(await temporaryFolder(), 'people.csv')

/** Opens the streams of a command that reads a file. */
const openTerminalToRead = (file: string) =>
  openTerminal(
    { stdin: Readable.from([]), stdout: new Writable(), stderr: new Writable() },
    'read',
    file,
    new AbortController().signal,
  )

describe('a file that a command writes', () => {
  test('appears when it is complete, readable by its owner only, and replaces an earlier one', async () => {
    const file = await nameIn()
    await writeFile(file, 'earlier')
    const draft = await openToWrite(file)
    await draft.write('new')
    expect(await readFile(file, 'utf8')).toBe('earlier')
    await draft.close(true)
    expect(await readdir(path.dirname(file))).toEqual(['people.csv'])
    expect({ text: await readFile(file, 'utf8'), mode: (await stat(file)).mode & 0o777 }).toEqual({
      text: 'new',
      mode: 0o600,
    })
  })

  test('is whole if two commands write it at once, in any order', async () => {
    const file = await nameIn()
    for (let round = 0; round < 20; round += 1) {
      const [one, other] = [await openToWrite(file), await openToWrite(file)]
      for (let part = 0; part < 3; part += 1) {
        await one.write('1'.repeat(1_000))
        await other.write('2'.repeat(500))
      }
      await Promise.all(round % 2 === 0 ? [one.close(true), other.close(true)] : [other.close(true), one.close(true)])
      expect(await readFile(file, 'utf8')).toMatch(/^(?:1{3000}|2{1500})$/)
    }
    expect(await readdir(path.dirname(file))).toEqual(['people.csv'])
  })

  test('stays if another command that writes it fails', async () => {
    const file = await nameIn()
    const [one, failing] = [await openToWrite(file), await openToWrite(file)]
    await one.write('begun, ')
    await failing.close(false)
    await one.write('ended')
    await one.close(true)
    expect(await readFile(file, 'utf8')).toBe('begun, ended')
  })

  test('removes drafts of killed commands after an hour, and no other files', async () => {
    const file = await nameIn()
    const folder = path.dirname(file)
    const [abandoned, recent] = [`${file}.0123456789ab.partial`, `${file}.ba9876543210.partial`]
    const foreign = [`${file}.partial`, path.join(folder, 'other.csv.0123456789ab.partial')]
    for (const name of [abandoned, recent, ...foreign]) await writeFile(name, '')
    const { mtimeMs } = await stat(recent)
    const twoHoursAgo = mtimeMs / 1_000 - 7_200
    for (const name of [abandoned, ...foreign]) await utimes(name, twoHoursAgo, twoHoursAgo)
    await (await openToWrite(file)).close(true)
    const left = [file, recent, ...foreign].map((name) => path.basename(name))
    expect((await readdir(folder)).toSorted()).toEqual(left.toSorted())
  })

  test('replaces the target of a symbolic link', async () => {
    const file = await nameIn()
    await writeFile(file, 'earlier')
    const link = path.join(path.dirname(file), 'link.csv')
    await symlink(file, link)
    const draft = await openToWrite(link)
    await draft.write('new')
    await draft.close(true)
    expect(await readFile(file, 'utf8')).toBe('new')
    expect(await readFile(link, 'utf8')).toBe('new')
  })

  test('never replaces a device', async () => {
    const device = await openToWrite('/dev/null')
    await device.write('nothing')
    await device.close(true)
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
  })
})

describe('an error about a file names the file, the problem and the solution', () => {
  test('a file to read', async () => {
    const file = await nameIn()
    const folder = path.dirname(file)
    await expect(openTerminalToRead(file)).rejects.toThrow(`${file} cannot be read: the file does not exist`)
    await expect(openTerminalToRead(folder)).rejects.toThrow(`${folder} cannot be read: it is a folder: name a file`)
  })

  test('a file to write', async () => {
    const file = await nameIn()
    const [folder, missing] = [path.dirname(file), path.join(path.dirname(file), 'missing', 'people.csv')]
    await expect(openToWrite(folder)).rejects.toThrow(`${folder} cannot be written: it is a folder: name a file`)
    await expect(openToWrite(missing)).rejects.toThrow(
      `${missing} cannot be written: the folder ${path.dirname(missing)} does not exist: create it, or name another file`,
    )
    await writeFile(file, '')
    await expect(openToWrite(path.join(file, 'below'))).rejects.toThrow(`${file} is not a folder`)
  })

  test('a file without rights', async ({ skip }) => {
    if (process.getuid?.() === 0) return skip('the superuser has every right')
    const file = await nameIn()
    const locked = path.join(path.dirname(file), 'locked')
    await mkdir(locked)
    await chmod(locked, 0o500)
    await expect(openToWrite(path.join(locked, 'people.csv'))).rejects.toThrow('permission denied')
  })

  test('a full disk, and an error without a text of its own', () => {
    const failed = (code: string) => fileError('people.csv', 'written', Object.assign(new Error(code), { code }))
    expect(failed('ENOSPC').message).toBe(
      'people.csv cannot be written: the disk is full: free space, or name a file on another disk',
    )
    expect(failed('ESTALE')).toMatchObject({ message: 'people.csv cannot be written', cause: { message: 'ESTALE' } })
  })
})
