// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712Upgradeable} from "@openzeppelin/contracts-upgradeable/utils/cryptography/EIP712Upgradeable.sol";
import {NoncesUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/NoncesUpgradeable.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {HolderSignature} from "./HolderSignature.sol";

/// @title ERC-20 with EIP-2612 permit whose accounts can be blocked
/// @notice A blocked account can neither send nor receive, and neither give, get nor spend an allowance.
/// @dev An account's balance and its flags share one storage word, so that reading a flag costs nothing beside the balance: a mapping of its own
/// would cost 2,100 gas for each account of each movement.
abstract contract BlockableERC20 is IERC20Metadata, IERC20Permit, IERC20Errors, EIP712Upgradeable, NoncesUpgradeable {
    struct Account {
        /// Bit 255: blocked. Bit 254: has received tokens. The other bits: balance.
        uint256 word;
    }

    /// @custom:storage-location erc7201:mintrail.storage.BlockableERC20
    struct BlockableERC20Storage {
        mapping(address account => Account) accounts;
        mapping(address owner => mapping(address spender => uint256 amount)) allowances;
        uint256 totalSupply;
        string name;
        string symbol;
    }

    // keccak256(abi.encode(uint256(keccak256("mintrail.storage.BlockableERC20")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE = 0x1dda33fdcd7a222cda16292c75c34b3ca4d0536784e396efcf68636bb639be00;

    uint256 internal constant BLOCKED = 1 << 255;

    /// @dev Set by the first tokens and never unset, so that the word of an emptied account is not zero: to write it again costs 5,000 gas and not
    /// 22,100. Otherwise holders could empty their balances between the estimate of an issue batch and its transaction, which would run out of
    /// gas.
    uint256 internal constant TOUCHED = 1 << 254;

    /// @dev No balance exceeds the supply, so none reaches the flags.
    uint256 internal constant MAX_SUPPLY = TOUCHED - 1;

    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    /// @notice The account was blocked.
    event Blocked(address indexed account);

    /// @notice The account was unblocked.
    event Unblocked(address indexed account);

    /// @notice The account takes no part in movements for as long as it is blocked.
    error AccountBlocked(address account);

    /// @notice The supply would exceed what a balance can hold.
    error SupplyTooLarge(uint256 supply, uint256 added);

    /// @notice The permit's deadline has passed.
    error PermitExpired(uint256 deadline);

    /// @notice Neither the account's key nor its contract signed this.
    error InvalidSignature(address account);

    function __BlockableERC20_init(string calldata name_, string calldata symbol_) internal onlyInitializing {
        __EIP712_init(name_, "1");
        BlockableERC20Storage storage $ = _erc20();
        $.name = name_;
        $.symbol = symbol_;
    }

    /// @notice The token's name.
    function name() external view returns (string memory) {
        return _erc20().name;
    }

    /// @notice The token's symbol.
    function symbol() external view returns (string memory) {
        return _erc20().symbol;
    }

    /// @notice One unit of the currency is 10^18 of the token.
    function decimals() external pure returns (uint8) {
        return 18;
    }

    /// @notice All tokens in circulation.
    function totalSupply() external view returns (uint256) {
        return _erc20().totalSupply;
    }

    /// @notice What an account holds, blocked or not.
    function balanceOf(address account) external view returns (uint256) {
        return _erc20().accounts[account].word & MAX_SUPPLY;
    }

    /// @notice Whether an account is blocked.
    function blocked(address account) external view returns (bool) {
        return _erc20().accounts[account].word & BLOCKED != 0;
    }

    /// @notice What a spender may still move on behalf of an owner.
    function allowance(address owner, address spender) external view returns (uint256) {
        return _erc20().allowances[owner][spender];
    }

    /// @notice Moves the caller's tokens.
    function transfer(address to, uint256 amount) external returns (bool) {
        _transfer(msg.sender, to, amount);
        return true;
    }

    /// @notice Moves an owner's tokens within the caller's allowance. An allowance of 2^256 − 1 is never used up.
    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        _spendAllowance(from, msg.sender, amount);
        _transfer(from, to, amount);
        return true;
    }

    /// @notice Sets what a spender may move on behalf of the caller. While paused, and for a blocked caller or spender, only zero can be set.
    function approve(address spender, uint256 amount) external returns (bool) {
        _approve(msg.sender, spender, amount);
        return true;
    }

    /// @notice Sets an allowance by the owner's EIP-712 signature (EIP-2612), under the same rules as `approve`.
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    /// @notice Sets an allowance by the owner's EIP-712 signature: 65 bytes of a key, or whatever the owner's ERC-1271 takes.
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) public {
        if (block.timestamp > deadline) revert PermitExpired(deadline);
        _requireSignature(owner, keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline)), signature);
        _approve(owner, spender, value);
    }

    /// @notice The number of permits an owner has used: the nonce of the next.
    function nonces(address owner) public view override(IERC20Permit, NoncesUpgradeable) returns (uint256) {
        return super.nonces(owner);
    }

    /// @notice The EIP-712 domain of permits.
    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function _setBlocked(address account, bool value) internal {
        Account storage target = _erc20().accounts[account];
        if ((target.word & BLOCKED != 0) == value) return;
        target.word ^= BLOCKED;
        if (value) emit Blocked(account);
        else emit Unblocked(account);
    }

    function _raiseSupply(uint256 amount) internal {
        uint256 supply = _erc20().totalSupply;
        if (amount > MAX_SUPPLY - supply) revert SupplyTooLarge(supply, amount);
        unchecked {
            _erc20().totalSupply = supply + amount;
        }
    }

    function _lowerSupply(uint256 amount) internal {
        _erc20().totalSupply -= amount;
    }

    /// @dev Reverts unless `account` signed the EIP-712 struct with this hash.
    function _requireSignature(address account, bytes32 structHash, bytes memory signature) internal view {
        if (!HolderSignature.isValid(account, _hashTypedDataV4(structHash), signature)) revert InvalidSignature(account);
    }

    /// @dev Reverts while transfers and approvals are stopped.
    function _requireRunning() internal view virtual;

    function _transfer(address from, address to, uint256 amount) internal {
        _requireRunning();
        if (from == address(0)) revert ERC20InvalidSender(from);
        if (to == address(0) || to == address(this)) revert ERC20InvalidReceiver(to);
        Account storage source = _erc20().accounts[from];
        uint256 word = source.word;
        if (word & BLOCKED != 0) revert AccountBlocked(from);
        if (word & MAX_SUPPLY < amount) revert ERC20InsufficientBalance(from, word & MAX_SUPPLY, amount);
        unchecked {
            source.word = word - amount;
        }

        Account storage target = _erc20().accounts[to];
        word = target.word;
        if (word & BLOCKED != 0) revert AccountBlocked(to);
        unchecked {
            // At most the supply.
            target.word = (word + amount) | TOUCHED;
        }
        emit Transfer(from, to, amount);
    }

    function _spendAllowance(address owner, address spender, uint256 amount) private {
        BlockableERC20Storage storage $ = _erc20();
        if ($.accounts[spender].word & BLOCKED != 0) revert AccountBlocked(spender);
        uint256 allowed = $.allowances[owner][spender];
        if (allowed == type(uint256).max) return;
        if (allowed < amount) revert ERC20InsufficientAllowance(spender, allowed, amount);
        unchecked {
            $.allowances[owner][spender] = allowed - amount;
        }
    }

    function _approve(address owner, address spender, uint256 amount) private {
        if (spender == address(0)) revert ERC20InvalidSpender(spender);
        BlockableERC20Storage storage $ = _erc20();
        if (amount != 0) {
            _requireRunning();
            if ($.accounts[owner].word & BLOCKED != 0) revert AccountBlocked(owner);
            if ($.accounts[spender].word & BLOCKED != 0) revert AccountBlocked(spender);
        }
        $.allowances[owner][spender] = amount;
        emit Approval(owner, spender, amount);
    }

    /// @dev Assembly, because Solidity has no other way to say where a struct lies (ERC-7201).
    function _erc20() internal pure returns (BlockableERC20Storage storage $) {
        bytes32 slot = STORAGE;
        assembly ("memory-safe") {
            $.slot := slot
        }
    }
}
