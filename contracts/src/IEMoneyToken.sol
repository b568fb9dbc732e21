// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice One movement of bank money into tokens.
/// @param sequence The movement's number, dense per token and network: it happens at most once.
/// @param orderId The order it belongs to.
struct IssueItem {
    uint64 sequence;
    bytes16 orderId;
    address account;
    uint256 amount;
}

/// @notice One movement of tokens back into money.
/// @param message The text that the holder signed, `Send <CUR> <amount> to ...`: with the holder it names the movement, which happens at most once.
/// @param signature 65 bytes of a key, or whatever the account's ERC-1271 takes; empty where the account approved the message on chain.
struct RedeemItem {
    bytes16 orderId;
    address account;
    uint256 amount;
    string message;
    bytes signature;
}

/// @notice Why an item was not issued. `None` never appears in an event.
enum IssueRefusal {
    None,
    /// The account is blocked.
    BlockedAccount,
    /// The account is the zero address or this token.
    InvalidAccount,
    /// The amount is zero.
    ZeroAmount
}

/// @notice Why an item was not redeemed; the first that applies, in this order. `None` never appears in an event.
enum RedemptionRefusal {
    None,
    /// The message does not start `Send <CUR> <amount> to `.
    MalformedMessage,
    /// The message names another currency than this token's.
    WrongCurrency,
    /// The message names another amount than the item, or both are zero.
    WrongAmount,
    /// The account is blocked.
    BlockedAccount,
    /// The account holds less than the amount.
    InsufficientBalance,
    /// Neither the account's key signed the message nor does its contract approve it.
    InvalidSignature
}

/// @title E-money of one currency on one network
interface IEMoneyToken {
    /// @notice The order's amount was minted.
    event Issued(bytes16 indexed orderId, address indexed account, uint256 amount, uint64 sequence);

    /// @notice The order's amount was not minted and, under its sequence number, never will be.
    event IssueRefused(bytes16 indexed orderId, address indexed account, uint256 amount, IssueRefusal reason);

    /// @notice The order's amount was burnt.
    event Redeemed(bytes16 indexed orderId, address indexed account, uint256 amount, bytes32 messageHash);

    /// @notice The order's amount was not burnt and, for this message, never will be.
    event RedemptionRefused(bytes16 indexed orderId, address indexed account, uint256 amount, RedemptionRefusal reason);

    /// @notice What the operator may still mint was set.
    event MintAllowanceSet(address indexed operator, uint256 amount);

    /// @notice The batch would mint more than the operator may. Nothing of it was done.
    error MintAllowanceExceeded(address operator, uint256 mintAllowance);

    /// @notice A currency is three upper-case letters.
    error InvalidCurrency(string currency);

    /// @notice Mints each item, once for its sequence number. A used number is passed over in silence; an item that cannot be minted is
    /// refused for good by an event, and the others go on. Reverts as a whole, with nothing decided, when paused or beyond the mint allowance.
    /// @dev Only for the operator role.
    function issue(IssueItem[] calldata items) external;

    /// @notice Burns each item that its holder signed, once for its message. A message decided before is passed over in silence; an item that
    /// cannot be burnt is refused for good by an event, and the others go on. Reverts as a whole, with nothing decided, when paused or when
    /// the gas left would not give a contract account its full share to answer (see `signatureGas`).
    /// @dev Only for the operator role.
    function redeem(RedeemItem[] calldata items) external;

    /// @notice Sets what an operator may mint from now on, in tokens with 18 decimals.
    function setMintAllowance(address operator, uint256 amount) external;

    /// @notice Takes an account out of all movements.
    function blockAccount(address account) external;

    /// @notice Lets an account take part in movements again.
    function unblockAccount(address account) external;

    /// @notice Stops transfers, issuing and redeeming.
    function pause() external;

    /// @notice Resumes transfers, issuing and redeeming.
    function unpause() external;

    /// @notice The currency's three letters.
    function currency() external view returns (string memory);

    /// @notice What an operator may still mint.
    function mintAllowance(address operator) external view returns (uint256);

    /// @notice Whether a sequence number was issued or refused.
    function sequenceUsed(uint64 sequence) external view returns (bool);

    /// @notice Whether a holder's message was redeemed or refused.
    /// @param messageHash The EIP-191 hash of the text.
    function messageUsed(address account, bytes32 messageHash) external view returns (bool);

    /// @notice What one `isValidSignature` of a contract account may spend; beyond it the signature is invalid.
    function signatureGas() external pure returns (uint256);
}
