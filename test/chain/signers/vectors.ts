const keystore = (kdf: string, kdfparams: object, iv: string, ciphertext: string, mac: string) => ({
  crypto: { cipher: 'aes-128-ctr', cipherparams: { iv }, ciphertext, kdf, kdfparams: { dklen: 32, ...kdfparams }, mac },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
});

/** The test vectors of the Web3 Secret Storage Definition, and go-ethereum's for keys with leading zeros left out. */
export const keystoreVectors = [
  {
    name: 'scrypt',
    password: 'testpassword',
    privateKey: '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d',
    keystore: keystore(
      'scrypt',
      { n: 262_144, r: 1, p: 8, salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19' },
      '83dbcc02d8ccb40e466191a123791e0e',
      'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
      '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
    ),
  },
  {
    name: 'pbkdf2',
    password: 'testpassword',
    privateKey: '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d',
    keystore: keystore(
      'pbkdf2',
      { c: 262_144, prf: 'hmac-sha256', salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd' },
      '6087dab2f9fdbbfaddc31a909735c1e6',
      '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
      '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
    ),
  },
  {
    name: 'a key of 31 bytes',
    password: 'foo',
    privateKey: '00fa7b3db73dc7dfdf8c5fbdb796d741e4488628c41fc4febd9160a866ba0f35',
    keystore: keystore(
      'scrypt',
      { n: 2, r: 8, p: 1, salt: '711f816911c92d649fb4c84b047915679933555030b3552c1212609b38208c63' },
      'e0c41130a323adc1446fc82f724bca2f',
      '9517cd5bdbe69076f9bf5057248c6c050141e970efa36ce53692d5d59a3984',
      'd5e116151c6aa71470e67a7d42c9620c75c4d23229847dcc127794f0732b0db5',
    ),
  },
  {
    name: 'a key of 30 bytes',
    password: 'foo',
    privateKey: '000081c29e8142bb6a81bef5a92bda7a8328a5c85bb2f9542e76f9b0f94fc018',
    keystore: keystore(
      'scrypt',
      { n: 2, r: 8, p: 1, salt: 'd0769e608fb86cda848065642a9c6fa046845c928175662b8e356c77f914cd3b' },
      '3ca92af36ad7c2cd92454c59cea5ef00',
      '108b7d34f3442fc26ab1ab90ca91476ba6bfa8c00975a49ef9051dc675aa',
      '75d0e6759f7b3cefa319c3be41680ab6beea7d8328653474bd06706d4cc67420',
    ),
  },
];

/** The cost of keystores that tests write: the standard one takes a second of a core for each. */
export const quickCost = { n: 8, r: 8, p: 1 };

/** A file of go-ethereum's tests with cheap parameters, whose password is `foobar`. */
export const quickKeystore = {
  address: 'f466859ead1932d743d622cb74fc058882e8648a',
  crypto: {
    cipher: 'aes-128-ctr',
    ciphertext: 'cb664472deacb41a2e995fa7f96fe29ce744471deb8d146a0e43c7898c9ddd4d',
    cipherparams: { iv: 'dfd9ee70812add5f4b8f89d0811c9158' },
    kdf: 'scrypt',
    kdfparams: { dklen: 32, n: 8, p: 16, r: 8, salt: '0d6769bf016d45c479213990d6a08d938469c4adad8a02ce507b4a4e7b7739f1' },
    mac: 'bac9af994b15a45dd39669fc66f9aa8a3b9dd8c22cb16e4d8d7ea089d0f1a1a9',
  },
  id: '472e8b3d-afb6-45b5-8111-72c89895099a',
  version: 3,
};
