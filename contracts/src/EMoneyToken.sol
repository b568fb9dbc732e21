// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    AccessControlDefaultAdminRulesUpgradeable
} from "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlDefaultAdminRulesUpgradeable.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {BlockableERC20} from "./BlockableERC20.sol";
import {HolderSignature} from "./HolderSignature.sol";
import {IEMoneyToken, IssueItem, IssueRefusal, RedeemItem, RedemptionRefusal} from "./IEMoneyToken.sol";
import {PaymentMessage} from "./PaymentMessage.sol";

/// @notice An account that issues and redeems from the beginning.
/// @param mintAllowance What it may mint, in tokens with 18 decimals.
struct FirstOperator {
    address account;
    uint256 mintAllowance;
}

/// @notice A token that is ready to work.
/// @param currency Three upper-case letters, as payment messages name it.
/// @param admin Gets every role but the operator's.
/// @param adminDelay Seconds between the two steps in which the default admin is handed on.
/// @param operators Get the operator's role and their mint allowances.
/// @param blockers Get the blocker's role.
struct TokenSetup {
    string name;
    string symbol;
    string currency;
    address admin;
    uint48 adminDelay;
    FirstOperator[] operators;
    address[] blockers;
}

/// @title E-money of one currency on one network
/// @notice Operators turn orders into tokens and tokens into orders, in batches. An operator's key can mint no more than its allowance, and
/// burn only what a holder signed, once.
contract EMoneyToken is IEMoneyToken, BlockableERC20, AccessControlDefaultAdminRulesUpgradeable, PausableUpgradeable, UUPSUpgradeable {
    /// @custom:storage-location erc7201:mintrail.storage.EMoneyToken
    struct EMoneyTokenStorage {
        bytes3 currency;
        /// One bit for each sequence number, 256 to a word.
        mapping(uint256 index => uint256 word) sequences;
        mapping(address account => mapping(bytes32 messageHash => bool)) messages;
        mapping(address operator => uint256 amount) mintAllowances;
    }

    // keccak256(abi.encode(uint256(keccak256("mintrail.storage.EMoneyToken")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE = 0x4fd518f0c73cafe337b2fad2b4b50d0a2f88a8d007981d651734b73e9619b700;

    /// @notice Issues within its allowance, and redeems what holders signed.
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");
    /// @notice Sets what operators may mint.
    bytes32 public constant ALLOWANCE_ROLE = keccak256("ALLOWANCE_ROLE");
    /// @notice Blocks accounts.
    bytes32 public constant BLOCKER_ROLE = keccak256("BLOCKER_ROLE");
    /// @notice Unblocks accounts.
    bytes32 public constant UNBLOCKER_ROLE = keccak256("UNBLOCKER_ROLE");
    /// @notice Stops all movements.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    /// @notice Resumes them.
    bytes32 public constant UNPAUSER_ROLE = keccak256("UNPAUSER_ROLE");
    /// @notice Replaces this code.
    bytes32 public constant UPGRADER_ROLE = keccak256("UPGRADER_ROLE");

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor() {
        _disableInitializers();
    }

    /// @notice Sets the token up, ready to work: nobody but the admin ever administers it, whoever deploys it.
    function initialize(TokenSetup calldata setup) external initializer {
        __BlockableERC20_init(setup.name, setup.symbol);
        _setCurrency(setup.currency);
        _setAdmin(setup.admin, setup.adminDelay);
        for (uint256 i = 0; i < setup.operators.length; ++i) {
            FirstOperator calldata operator = setup.operators[i];
            _grantRole(OPERATOR_ROLE, operator.account);
            _setMintAllowance(operator.account, operator.mintAllowance);
        }
        for (uint256 i = 0; i < setup.blockers.length; ++i) {
            _grantRole(BLOCKER_ROLE, setup.blockers[i]);
        }
    }

    /// @inheritdoc IEMoneyToken
    /// @dev Each word of sequence numbers, the mint allowance and the supply are written once per batch; nothing here calls out.
    function issue(IssueItem[] calldata items) external onlyRole(OPERATOR_ROLE) whenNotPaused {
        EMoneyTokenStorage storage $ = _emoney();
        uint256 allowed = $.mintAllowances[msg.sender];
        uint256 remaining = allowed;
        uint256 index = items.length == 0 ? 0 : items[0].sequence >> 8;
        uint256 word = $.sequences[index];

        for (uint256 i = 0; i < items.length; ++i) {
            IssueItem calldata item = items[i];
            uint256 sequence = item.sequence;
            if (sequence >> 8 != index) {
                $.sequences[index] = word;
                index = sequence >> 8;
                word = $.sequences[index];
            }
            uint256 bit = 1 << (sequence & 0xff);
            if (word & bit != 0) continue;
            word |= bit;
            remaining -= _issue(item, sequence, remaining);
        }

        $.sequences[index] = word;
        $.mintAllowances[msg.sender] = remaining;
        _raiseSupply(allowed - remaining);
    }

    /// @inheritdoc IEMoneyToken
    function redeem(RedeemItem[] calldata items) external onlyRole(OPERATOR_ROLE) whenNotPaused {
        for (uint256 i = 0; i < items.length; ++i) {
            _redeem(items[i]);
        }
    }

    /// @inheritdoc IEMoneyToken
    function setMintAllowance(address operator, uint256 amount) external onlyRole(ALLOWANCE_ROLE) {
        _setMintAllowance(operator, amount);
    }

    /// @inheritdoc IEMoneyToken
    function blockAccount(address account) external onlyRole(BLOCKER_ROLE) {
        _setBlocked(account, true);
    }

    /// @inheritdoc IEMoneyToken
    function unblockAccount(address account) external onlyRole(UNBLOCKER_ROLE) {
        _setBlocked(account, false);
    }

    /// @inheritdoc IEMoneyToken
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @inheritdoc IEMoneyToken
    function unpause() external onlyRole(UNPAUSER_ROLE) {
        _unpause();
    }

    /// @inheritdoc IEMoneyToken
    function currency() external view returns (string memory) {
        return string(abi.encodePacked(_emoney().currency));
    }

    /// @inheritdoc IEMoneyToken
    function mintAllowance(address operator) external view returns (uint256) {
        return _emoney().mintAllowances[operator];
    }

    /// @inheritdoc IEMoneyToken
    function sequenceUsed(uint64 sequence) external view returns (bool) {
        return _emoney().sequences[sequence >> 8] & (1 << (sequence & 0xff)) != 0;
    }

    /// @inheritdoc IEMoneyToken
    function messageUsed(address account, bytes32 messageHash) external view returns (bool) {
        return _emoney().messages[account][messageHash];
    }

    /// @inheritdoc IEMoneyToken
    function signatureGas() external pure returns (uint256) {
        return HolderSignature.CALL_GAS;
    }

    function _setCurrency(string calldata currency_) private {
        bytes3 letters = bytes3(bytes(currency_));
        if (bytes(currency_).length != 3 || !PaymentMessage.isCurrency(letters)) revert InvalidCurrency(currency_);
        _emoney().currency = letters;
    }

    function _setAdmin(address admin, uint48 adminDelay) private {
        __AccessControlDefaultAdminRules_init(adminDelay, admin);
        _grantRole(ALLOWANCE_ROLE, admin);
        _grantRole(BLOCKER_ROLE, admin);
        _grantRole(UNBLOCKER_ROLE, admin);
        _grantRole(PAUSER_ROLE, admin);
        _grantRole(UNPAUSER_ROLE, admin);
        _grantRole(UPGRADER_ROLE, admin);
    }

    function _setMintAllowance(address operator, uint256 amount) private {
        _emoney().mintAllowances[operator] = amount;
        emit MintAllowanceSet(operator, amount);
    }

    /// @dev Mints or refuses an item whose sequence number was unused, and returns what it minted. The caller raises the supply, which also
    /// bounds the balances: whatever a sum beyond it did to a balance is undone with the batch.
    function _issue(IssueItem calldata item, uint256 sequence, uint256 remaining) private returns (uint256) {
        address account = item.account;
        uint256 amount = item.amount;
        Account storage holder = _erc20().accounts[account];
        uint256 word = holder.word;

        IssueRefusal refusal = _issueRefusal(account, word, amount);
        if (refusal != IssueRefusal.None) {
            emit IssueRefused(item.orderId, account, amount, refusal);
            return 0;
        }
        if (amount > remaining) revert MintAllowanceExceeded(msg.sender, _emoney().mintAllowances[msg.sender]);
        unchecked {
            holder.word = word + amount;
        }
        emit Transfer(address(0), account, amount);
        emit Issued(item.orderId, account, amount, uint64(sequence));
        return amount;
    }

    function _issueRefusal(address account, uint256 word, uint256 amount) private view returns (IssueRefusal) {
        if (word & BLOCKED != 0) return IssueRefusal.BlockedAccount;
        if (account == address(0) || account == address(this)) return IssueRefusal.InvalidAccount;
        if (amount == 0) return IssueRefusal.ZeroAmount;
        return IssueRefusal.None;
    }

    /// @dev The message is used up before the holder's contract is asked, and that contract is asked by a static call, so it can change nothing.
    function _redeem(RedeemItem calldata item) private {
        bytes32 messageHash = MessageHashUtils.toEthSignedMessageHash(bytes(item.message));
        mapping(bytes32 messageHash => bool) storage used = _emoney().messages[item.account];
        if (used[messageHash]) return;
        used[messageHash] = true;

        Account storage holder = _erc20().accounts[item.account];
        uint256 word = holder.word;
        RedemptionRefusal refusal = _redemptionRefusal(item, messageHash, word);
        if (refusal != RedemptionRefusal.None) {
            emit RedemptionRefused(item.orderId, item.account, item.amount, refusal);
            return;
        }
        unchecked {
            // No refusal: unblocked, and at least the amount.
            holder.word = word - item.amount;
        }
        _lowerSupply(item.amount);
        emit Transfer(item.account, address(0), item.amount);
        emit Redeemed(item.orderId, item.account, item.amount, messageHash);
    }

    function _redemptionRefusal(RedeemItem calldata item, bytes32 messageHash, uint256 word) private view returns (RedemptionRefusal) {
        (bool wellFormed, bytes3 letters, uint256 amount) = PaymentMessage.parse(bytes(item.message));
        if (!wellFormed) return RedemptionRefusal.MalformedMessage;
        if (letters != _emoney().currency) return RedemptionRefusal.WrongCurrency;
        if (amount != item.amount || amount == 0) return RedemptionRefusal.WrongAmount;
        if (word & BLOCKED != 0) return RedemptionRefusal.BlockedAccount;
        if (word < amount) return RedemptionRefusal.InsufficientBalance;
        if (!HolderSignature.isValid(item.account, messageHash, item.signature)) return RedemptionRefusal.InvalidSignature;
        return RedemptionRefusal.None;
    }

    function _beforeTransfer() internal view override whenNotPaused {}

    function _authorizeUpgrade(address) internal view override onlyRole(UPGRADER_ROLE) {}

    /// @dev Assembly, because Solidity has no other way to say where a struct lies (ERC-7201).
    function _emoney() private pure returns (EMoneyTokenStorage storage $) {
        bytes32 slot = STORAGE;
        assembly ("memory-safe") {
            $.slot := slot
        }
    }
}
