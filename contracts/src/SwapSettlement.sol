// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {BitMaps} from "@openzeppelin/contracts/utils/structs/BitMaps.sol";
import {HolderSignature} from "./HolderSignature.sol";

/// @title Settlement of quotes that a maker has signed
/// @notice A taker carries out a quote: both tokens change hands in one transaction, or neither does. The maker's signature (EIP-712) names
/// the taker, both tokens and both exact amounts, and is bound to this contract on this chain; it is good once, and until its expiry.
/// @dev Holds no tokens. Maker and taker each give it an allowance for what they pay. Meant for tokens that move exactly the amount they are
/// told to: with a token that takes a fee of it, the receiver bears the fee.
contract SwapSettlement is Ownable2Step, EIP712 {
    using BitMaps for BitMaps.BitMap;
    using SafeERC20 for IERC20;

    /// @dev The fields of `QUOTE_TYPEHASH`, in its order.
    struct Quote {
        address taker;
        address takerToken;
        address makerToken;
        uint256 takerAmount;
        uint256 makerAmount;
        uint256 expiry;
        uint256 nonce;
        bytes16 quoteId;
    }

    bytes32 private constant QUOTE_TYPEHASH = keccak256(
        "Quote(address taker,address takerToken,address makerToken,uint256 takerAmount,uint256 makerAmount,uint256 expiry,uint256 nonce,bytes16 quoteId)"
    );

    /// @notice Signs quotes and pays the maker's side: a key, or a contract that answers ERC-1271. The zero address stops all swaps.
    address public maker;

    /// @dev One bit for each nonce that was used or cancelled. It outlives a change of the maker, so a nonce is good once for all makers.
    BitMaps.BitMap private _usedNonces;

    /// @notice The quote was carried out.
    event Swap(bytes16 quoteId);

    /// @notice Quotes are signed by, and paid from, another account than before.
    event MakerSet(address indexed maker);

    /// @notice The quote with this nonce can no longer be carried out.
    event NonceCancelled(uint256 nonce);

    /// @notice The quote was good until `expiry`, in seconds since 1970.
    error QuoteExpired(uint256 expiry);

    /// @notice The quote is for another taker than the caller.
    error NotTaker(address caller, address taker);

    /// @notice The quote was carried out or cancelled before.
    error NonceUsed(uint256 nonce);

    /// @notice The maker did not sign this: a field differs from the quote, or it is another contract's, another chain's or another maker's.
    error InvalidSignature();

    /// @notice Only the maker cancels quotes.
    error NotMaker(address caller);

    /// @param owner Sets the maker; handed on in two steps.
    constructor(address owner, address maker_) Ownable(owner) EIP712("Mintrail Swap", "1") {
        _setMaker(maker_);
    }

    /// @notice Carries out a quote. The caller is its taker, pays `takerAmount` of `takerToken` and gets `makerAmount` of `makerToken`.
    /// @param expiry Last second, since 1970, in which the quote is good.
    /// @param quoteId The quote's UUID, for the event.
    /// @param signature The maker's: 65 bytes of a key, or whatever its ERC-1271 takes.
    /// @dev The nonce is used up before any token is called, so a token that calls back finds the quote spent.
    function swap(
        address taker,
        address takerToken,
        address makerToken,
        uint256 takerAmount,
        uint256 makerAmount,
        uint256 expiry,
        uint256 nonce,
        bytes16 quoteId,
        bytes calldata signature
    ) external {
        Quote memory quote;
        quote.taker = taker;
        quote.takerToken = takerToken;
        quote.makerToken = makerToken;
        quote.takerAmount = takerAmount;
        quote.makerAmount = makerAmount;
        quote.expiry = expiry;
        quote.nonce = nonce;
        quote.quoteId = quoteId;
        _swap(quote, signature);
    }

    /// @notice Cancels quotes that were signed and not yet carried out. What is used or cancelled already stays so.
    function cancelNonces(uint256[] calldata nonces) external {
        if (msg.sender != maker) revert NotMaker(msg.sender);
        for (uint256 i = 0; i < nonces.length; ++i) {
            if (_usedNonces.get(nonces[i])) continue;
            _usedNonces.set(nonces[i]);
            emit NonceCancelled(nonces[i]);
        }
    }

    /// @notice Sets the maker. What another one has signed is no longer good.
    function setMaker(address maker_) external onlyOwner {
        _setMaker(maker_);
    }

    /// @notice Whether the quote with this nonce was carried out or cancelled.
    function nonceUsed(uint256 nonce) external view returns (bool) {
        return _usedNonces.get(nonce);
    }

    /// @notice The EIP-712 domain of quotes.
    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function _swap(Quote memory quote, bytes calldata signature) private {
        if (block.timestamp > quote.expiry) revert QuoteExpired(quote.expiry);
        if (msg.sender != quote.taker) revert NotTaker(msg.sender, quote.taker);
        if (_usedNonces.get(quote.nonce)) revert NonceUsed(quote.nonce);
        address payer = maker;
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(QUOTE_TYPEHASH, quote)));
        if (!HolderSignature.isValid(payer, digest, signature)) revert InvalidSignature();

        _usedNonces.set(quote.nonce);
        emit Swap(quote.quoteId);

        IERC20(quote.takerToken).safeTransferFrom(quote.taker, payer, quote.takerAmount);
        IERC20(quote.makerToken).safeTransferFrom(payer, quote.taker, quote.makerAmount);
    }

    function _setMaker(address maker_) private {
        maker = maker_;
        emit MakerSet(maker_);
    }
}
