// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Why an issue item was refused. `None` never appears in an event.
enum IssueRefusal {
    None,
    /// The account is blocked.
    BlockedAccount,
    /// The account is the zero address or this token.
    InvalidAccount
}

/// @notice Why a redeem item was refused: the first reason that applies, in this order. `None` never appears in an event.
enum RedemptionRefusal {
    None,
    /// The message does not read `Send <CUR> <amount> to <destination> at <RFC 3339 time>`.
    MalformedMessage,
    /// The message names another currency than the token's.
    WrongCurrency,
    /// The message names another amount than the item, or both are zero.
    WrongAmount,
    /// More than 30 days have passed since the message's time.
    MessageExpired,
    /// The account cancelled the message.
    MessageCancelled,
    /// Neither the account's key signed the message nor does its contract approve it.
    InvalidSignature,
    /// The account is blocked.
    BlockedAccount,
    /// The account holds less than the amount.
    InsufficientBalance
}

/// @title E-money of one currency on one network
interface IEMoneyToken {
    /// @notice The order's amount was minted.
    event Issued(bytes16 indexed orderId, address indexed account, uint256 amount, uint64 sequence);

    /// @notice The order's amount was not minted, and never will be under this sequence number.
    event IssueRefused(bytes16 indexed orderId, address indexed account, uint256 amount, uint64 sequence, IssueRefusal reason);

    /// @notice The order's amount was burnt.
    event Redeemed(bytes16 indexed orderId, address indexed account, uint256 amount, bytes32 messageHash);

    /// @notice The order's amount was not burnt. What the reason says of the future:
    /// - `BlockedAccount`, `InsufficientBalance`: the message was signed and is used up. It is never burnt.
    /// - `InvalidSignature`: this order id with this message and this signature is never burnt, and is refused again each time. The message is
    ///   not used up: anyone who holds an operator's key can send a false signature, and that must not void what the account signs.
    /// - `WrongAmount`: the item claims another amount than the message, which is not used up either. (A message of amount zero is never burnt.)
    /// - the other reasons lie in the message itself or in its account's cancellation, and do not go away.
    /// So `InvalidSignature` and `WrongAmount` say something of an order only where its operator sent the item itself.
    event RedemptionRefused(
        bytes16 indexed orderId, address indexed account, uint256 amount, bytes32 messageHash, RedemptionRefusal reason
    );

    /// @notice The account took back its message. It is never burnt.
    event MessageCancelled(address indexed account, bytes32 indexed messageHash);

    /// @notice The operator's limits were set. Amounts in token units.
    event MintAllowanceSet(address indexed operator, uint256 allowance, uint256 dailyLimit);

    /// @notice The batch asks for more than the operator's mint allowance. Nothing of it was done.
    error MintAllowanceExceeded(address operator, uint256 allowance);

    /// @notice The batch asks for more than the operator may still mint today. Nothing of it was done.
    error DailyMintLimitExceeded(address operator, uint256 dailyLimit);

    /// @notice The mint allowance is higher than the caller expected: it was raised meanwhile.
    error MintAllowanceRaised(address operator, uint256 allowance);

    /// @notice A limit has a fraction of a minor unit, or is 2^80 minor units or more.
    error InvalidMintLimit(uint256 amount);

    /// @notice The message was redeemed, refused or cancelled before.
    error MessageAlreadyUsed(address account, bytes32 messageHash);

    /// @notice A currency is three upper-case letters.
    error InvalidCurrency(string currency);

    /// @notice The gas for a contract account's signature check is outside the range that makes sense.
    error InvalidSignatureGas(uint256 signatureGas);

    /// @notice Mints each item, at most once for its sequence number. A used number is passed over without an event. An item that cannot be minted
    /// is refused by an event, which uses up its number, and the others go on. Reverts as a whole, with nothing done, when paused, when the
    /// form is wrong, or beyond one of the operator's limits.
    /// @dev Only for the operator role. Refused items count against the limits, too, so that a stolen key uses up no more numbers than its
    /// limits pay for. An item with amount zero is passed over and leaves its number unused.
    /// @param batch Packed, big-endian, one or more runs. A run: first sequence number (8 bytes), number of items (2), then for each item
    /// order id (16), account (20), minor units (8). The sequence numbers of a run are dense.
    function issue(bytes calldata batch) external;

    /// @notice Burns each item that its account signed, at most once for its message. A message that was decided before is passed over without an
    /// event. An item that cannot be burnt is refused by an event, and the others go on. Reverts as a whole, with nothing done, when paused,
    /// when the form is wrong, or when too little gas is left to give a contract account its full share (see `signatureGas`).
    /// @dev Only for the operator role.
    /// @param batch Packed, big-endian, for each item: order id (16 bytes), account (20), minor units (8), length of the message (2, at
    /// most 999), length of the signature (2), message, signature. The signature is 65 bytes of a key, or whatever the account's ERC-1271 takes; it is empty
    /// where the account approved the message on chain.
    function redeem(bytes calldata batch) external;

    /// @notice Takes back a message that the caller signed. Works while paused and while blocked.
    /// @param messageHash The EIP-191 hash of the text.
    function cancelMessage(bytes32 messageHash) external;

    /// @notice Sets what an operator may mint. The new allowance counts from the moment at which the old one was `expected`: what the operator
    /// has minted since is subtracted, so minting just before the call gains nothing.
    /// @dev Only for the allowance role, and only for accounts with the operator role: the limits end with that role.
    /// @param expected The allowance that the caller read. Reverts when it is higher now.
    /// @param allowance Token units, whole minor units.
    /// @param dailyLimit Most that may be minted in a day of UTC, in token units, whole minor units.
    function setMintAllowance(address operator, uint256 expected, uint256 allowance, uint256 dailyLimit) external;

    /// @notice Bars an account from all movements.
    function blockAccount(address account) external;

    /// @notice Lets an account take part in movements again.
    function unblockAccount(address account) external;

    /// @notice Stops transfers, issuing, redeeming and approvals of more than zero. What is granted can still be taken back: by an approval of zero,
    /// `cancelMessage` and `cancelAuthorization`.
    function pause() external;

    /// @notice Resumes transfers, approvals, issuing and redeeming.
    function unpause() external;

    /// @notice Moves another contract's tokens that were sent here by mistake.
    /// @dev Only for the rescuer role.
    function rescue(address token, address to, uint256 amount) external;

    /// @notice The currency's three letters.
    function currency() external view returns (string memory);

    /// @notice What an operator may still mint over all days, in token units.
    function mintAllowance(address operator) external view returns (uint256);

    /// @notice What an operator may mint in a day of UTC, in token units.
    function dailyMintLimit(address operator) external view returns (uint256);

    /// @notice What an operator may mint at this moment, by both limits, in token units.
    function mintable(address operator) external view returns (uint256);

    /// @notice Whether a sequence number was issued or refused.
    function sequenceUsed(uint64 sequence) external view returns (bool);

    /// @notice Whether a message of an account was redeemed, refused for good or cancelled.
    /// @param messageHash The EIP-191 hash of the text.
    function messageUsed(address account, bytes32 messageHash) external view returns (bool);

    /// @notice Gas that one `isValidSignature` of a contract account may spend in `redeem`; beyond it the signature is invalid.
    function signatureGas() external view returns (uint256);

    /// @notice Whether a contract account approves a signature by the call that `redeem` makes. Reverts when too little gas is left for it.
    /// @param messageHash The EIP-191 hash of the text.
    function isApproved(address account, bytes32 messageHash, bytes calldata signature) external view returns (bool);
}
